// The film, by its own clock: played as it is, or as a stream made for browsers that cannot play it.
import { api, get, make, picture } from "./dom.js";

const RETRIES = 3;

export function filmPlayer({ id, path, duration, start, chapters, ontime }) {
  const film = make("video", { controls: true, playsinline: true, preload: "metadata", src: api(`${path}/media`), poster: picture(id, start || duration / 3), "aria-label": `Film: ${id}` },
    make("track", { kind: "chapters", srclang: "en", label: "Stories", src: api(chapters), default: true }));
  const note = make("p", { class: "small soft note", hidden: true });
  const stage = make("div", { class: "stage" }, film);
  const element = make("div", {}, stage, note);
  let streaming = false;
  let offset = 0;
  let wanted = start;
  let closed = false;
  let tries = 0;
  let opening;

  const time = () => (wanted ?? (streaming ? offset : 0) + film.currentTime);

  function seek(seconds) {
    const to = Math.min(Math.max(seconds, 0), duration);
    if (streaming && !within(to - offset)) open(to);
    else if (film.readyState) film.currentTime = streaming ? to - offset : to;
    else wanted = to;
    ontime();
  }

  const within = (at) => Array.from({ length: film.buffered.length }, (_, n) => n)
    .some((n) => film.buffered.start(n) <= at && at < film.buffered.end(n));

  // A stream cannot be sought in: another takes its place, once the pointer rests.
  function open(seconds, delay = 180) {
    wanted = Math.min(seconds, Math.max(0, duration - 0.1));
    const playing = !film.paused && !film.ended;
    clearTimeout(opening);
    opening = setTimeout(() => {
      offset = wanted;
      film.src = api(`${path}/stream?start=${offset.toFixed(3)}`);
      film.poster = picture(id, offset);
      if (playing) film.play().catch(() => {});
    }, delay);
  }

  async function becomeStream() {
    if (streaming || closed) return;
    streaming = true;
    stage.classList.add("streaming");
    film.querySelector("track")?.remove();
    open(wanted ?? film.currentTime, 0);
    const { reason } = await get(`${path}/playable`).catch(() => ({ reason: "" }));
    note.textContent = `${reason || "This browser cannot play the file as it is."} It is streamed as H.264; seek with the stories below.`;
    note.hidden = false;
  }

  async function fail() {
    if (stage.querySelector(".cover")) return;
    const told = await fetch(film.src).then((answer) => { answer.body?.cancel(); return answer.ok ? {} : answer.json(); }).catch(() => ({}));
    note.hidden = true;
    stage.append(make("div", { class: "cover", role: "alert" }, make("b", {}, "This film cannot be played here"),
      make("span", {}, told.detail ?? "Its codec or container is not for the web."), make("span", { class: "small" }, "Stories, transcript and pictures work all the same.")));
  }

  film.addEventListener("loadedmetadata", () => {
    if (!streaming && !film.videoWidth) return becomeStream();
    if (wanted !== null && !streaming) film.currentTime = wanted;
    wanted = null;
    ontime();
  });
  film.addEventListener("error", () => {
    if (closed || !film.hasAttribute("src")) return;
    if (!streaming) becomeStream();
    else if (film.currentTime > 0 && tries++ < RETRIES) open(time());
    else fail();
  });
  film.addEventListener("ended", () => { if (streaming && time() < duration - 1.5 && tries++ < RETRIES) { open(time(), 0); film.play().catch(() => {}); } });
  film.addEventListener("timeupdate", ontime);
  film.addEventListener("seeking", ontime);
  get(`${path}/playable`).then(({ playable }) => { if (!playable) becomeStream(); }).catch(() => {});

  return {
    element, time, seek,
    toggle: () => (film.paused ? film.play().catch(() => {}) : film.pause()),
    close() {
      closed = true;
      clearTimeout(opening);
      film.pause();
      film.removeAttribute("src");
      film.load();
    },
  };
}
