// The video player, with captions and controls that know about stories.
import { picture } from "./api.js";
import { seekBar } from "./bar.js";
import { captionLines } from "./captions.js";
import { clock, iconButton, make } from "./dom.js";
import { icon } from "./icons.js";
import { openMedia } from "./media.js";
import { prefer, preference, setWatchedTo } from "./person.js";
import { spriteSheet } from "./sprites.js";

const SPEEDS = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2];

export function storyPlayer({ state, start, poster, signal, ontime }) {
  const { id, duration } = state;
  const video = make("video", { playsinline: true, preload: "metadata", tabindex: -1,
    "aria-label": `Video: ${state.name}` });
  const cover = make("img", { class: "poster", alt: "", src: picture(id, poster) });
  const big = make("button", { type: "button", class: "big-play", "aria-label": "Play" });
  const captions = make("div", { class: "captions", "aria-hidden": "true", hidden: true });
  const note = make("p", { class: "small soft note", hidden: true });
  const stage = make("div", { class: "stage" }, video, cover, captions, big);
  const element = make("div", { class: "player" }, stage, note);
  const media = openMedia(video,
    { path: state.path, duration, start, poster, signal, tell });
  const lines = captionLines(state.transcript.words);

  const bar = seekBar({ duration, seek, show: spriteSheet(id), time: media.time });
  const play = iconButton("play", "Play", toggle, { key: "k" });
  const sound = iconButton("volume", "Mute", mute, { key: "m" });
  const words = iconButton("captions", "Captions", toggleCaptions,
    { key: "c", "aria-pressed": "false", hidden: !lines.length });
  const speed = make("select", { class: "speed", "aria-label": "Speed",
    onchange: () => setSpeed(Number(speed.value)) },
  ...SPEEDS.map((each) => make("option", { value: each, selected: each === 1 }, `${each}×`)));
  const full = iconButton("full", "Full screen", fullScreen, { key: "f" });
  const at = make("span", { class: "clock" });
  const named = make("span", { class: "now-named" });
  const previous = iconButton("previous", "Previous story", () => step(-1), { key: "p" });
  const next = iconButton("next", "Next story", () => step(1), { key: "n" });
  stage.append(make("div", { class: "controls" }, bar.element,
    make("div", { class: "control-row" }, play, previous, next, sound, at, named,
      make("span", { class: "spring" }), words, speed, full)));
  big.append(icon("play"));

  function tell({ note: said, failure }) {
    if (said) [note.textContent, note.hidden] = [said, false];
    if (!failure) return;
    note.hidden = true;
    stage.classList.add("failed");
    stage.append(make("div", { class: "cover", role: "alert" },
      make("b", {}, "This video cannot be played"), make("span", {}, failure),
      make("span", { class: "small" }, "Stories, pictures and transcript still work.")));
  }

  function toggle() {
    if (stage.classList.contains("failed")) return;
    if (video.paused) video.play().catch(() => {});
    else video.pause();
  }

  function seek(seconds) {
    media.seek(seconds);
    cover.src = picture(id, seconds);
    stage.classList.add("begun");
  }

  function step(direction) {
    const { starts } = state.now;
    const here = current();
    // As in music players, "previous" first goes back to the start of the current story.
    const back = media.time() - starts[here] > 3 ? here : here - 1;
    seek(starts[direction > 0 ? here + 1 : Math.max(0, back)] ?? media.time());
  }

  function mute() {
    video.muted = !video.muted;
    sound.replaceChildren(icon(video.muted ? "mute" : "volume"));
    sound.setAttribute("aria-label", video.muted ? "Unmute" : "Mute");
  }

  function toggleCaptions() {
    showCaptions(captions.hidden);
    prefer("captions", !captions.hidden);
    follow();
  }

  function showCaptions(on) {
    captions.hidden = !on;
    words.setAttribute("aria-pressed", String(on));
  }

  function setSpeed(value) {
    video.playbackRate = value;
    speed.value = String(value);
    prefer("speed", value);
  }

  function faster(direction) {
    const place = SPEEDS.indexOf(video.playbackRate) + direction;
    if (SPEEDS[place]) setSpeed(SPEEDS[place]);
  }

  async function fullScreen() {
    if (document.fullscreenElement) return document.exitFullscreen();
    await element.closest(".watch").requestFullscreen?.().catch(() => {});
  }

  function current() {
    const { starts } = state.now;
    return Math.max(0, starts.findLastIndex((begin) => begin <= media.time() + 0.02));
  }

  function follow() {
    // Closing a video resets its time to 0, which must not overwrite the saved position.
    if (signal.aborted) return;
    const now = media.time();
    bar.follow();
    at.textContent = `${clock(now)} / ${clock(duration)}`;
    named.textContent = state.now.titles[current()] || `Story ${current() + 1}`;
    const line = captions.hidden ? null : lines.findLast(({ start }) => start <= now);
    captions.replaceChildren(line && now < line.end + 1 ? make("span", {}, line.text) : "");
    if (stage.classList.contains("begun")) setWatchedTo(id, now, duration);
    ontime();
  }

  const shown = () => {
    const paused = video.paused;
    play.replaceChildren(icon(paused ? "play" : "pause"));
    play.setAttribute("aria-label", paused ? "Play" : "Pause");
    stage.classList.toggle("paused", paused);
  };
  for (const name of ["timeupdate", "seeking", "moved"]) video.addEventListener(name, follow);
  for (const name of ["play", "pause", "ended"]) video.addEventListener(name, shown);
  video.addEventListener("playing", () => stage.classList.add("begun", "live"));
  video.addEventListener("seeked", () => {
    if (media.isPosing() || stage.classList.contains("begun")) stage.classList.add("live");
  });
  video.addEventListener("click", toggle);
  cover.addEventListener("click", toggle);
  big.addEventListener("click", toggle);
  document.addEventListener("fullscreenchange", () => {
    const on = Boolean(document.fullscreenElement);
    full.replaceChildren(icon(on ? "shrink" : "full"));
    full.setAttribute("aria-label", on ? "Leave full screen" : "Full screen");
  }, { signal });
  shown();
  showCaptions(preference("captions", false) && lines.length > 0);
  if (preference("speed", 1) !== 1) setSpeed(preference("speed", 1));

  return {
    element, seek, toggle, step, mute, current, faster, fullScreen, time: media.time,
    captions: () => { if (lines.length) toggleCaptions(); },
    frame: (direction) => seek(media.time() + direction / state.frameRate),
    draw: () => { bar.draw(state.stories()); follow(); },
    mark: bar.mark,
  };
}
