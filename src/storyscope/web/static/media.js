// Plays the original file, or a converted stream if the browser cannot play it. Times are those
// of the file in both cases.
import { api, get, refusal, wasAborted } from "./api.js";

const RETRIES = 3;
// The `codecs` parameter for `canPlayType`, with the profile that common encoders write.
const ASK = {
  h264: "avc1.640028", hevc: "hvc1.1.6.L120.B0", av1: "av01.0.08M.08", vp9: "vp09.00.41.08",
  vp8: "vp8", aac: "mp4a.40.2", mp3: "mp4a.69", mp3float: "mp4a.69", opus: "opus",
  vorbis: "vorbis", flac: "flac", ac3: "ac-3", eac3: "ec-3",
};
const TYPES = { mov: "video/mp4", mp4: "video/mp4", matroska: "video/webm", webm: "video/webm" };

// Whether this browser reports that it can play the file without conversion.
export function playsItself(video, { container = "", picture = "", sound = "" }) {
  const type = container.split(",").map((each) => TYPES[each]).find(Boolean);
  const codecs = [picture, sound].filter(Boolean).map((each) => ASK[each]);
  if (!type || !codecs.length || codecs.includes(undefined)) return false;
  return video.canPlayType(`${type}; codecs="${codecs.join(", ")}"`) !== "";
}

// Opens a video. `tell` is called with {note} when the video is streamed, and with {failure} when
// it cannot be played. Until playback or a seek, the frame at `poster` is shown while `time()`
// is `start`.
export function openMedia(video, { path, duration, start, poster, signal, tell }) {
  let [streaming, offset, wanted, tries, failed] = [false, 0, start, 0, false];
  let [posing, sought] = [false, false];
  let opening;

  const time = () => wanted ?? (streaming ? offset : 0) + video.currentTime;
  const within = (at) => Array.from({ length: video.buffered.length }, (_, n) => n)
    .some((n) => video.buffered.start(n) <= at && at < video.buffered.end(n));

  function seek(seconds) {
    const to = Math.min(Math.max(seconds, 0), Math.max(0, duration - 0.05));
    sought = true;
    if (streaming && !within(to - offset)) open(to);
    else if (video.readyState) goTo(streaming ? to - offset : to);
    else wanted = to;
    video.dispatchEvent(new Event("moved"));
  }

  function goTo(seconds) {
    [posing, wanted] = [false, null];
    video.currentTime = seconds;
  }

  // A stream cannot seek, so a new one is opened, after a delay that skips seeks while scrubbing.
  function open(seconds, delay = 180) {
    wanted = Math.min(seconds, Math.max(0, duration - 0.1));
    const playing = !video.paused && !video.ended;
    clearTimeout(opening);
    opening = setTimeout(() => {
      offset = wanted;
      video.src = api(`${path}/stream?start=${offset.toFixed(3)}`);
      if (playing) video.play().catch(() => {});
    }, delay);
  }

  function becomeStream(reason) {
    if (streaming || signal.aborted) return;
    [streaming, posing] = [true, false];
    const why = reason || "This browser cannot play the file.";
    tell({ note: `${why} It is converted while you watch.` });
    open(wanted ?? video.currentTime, 0);
  }

  async function fail() {
    if (failed || signal.aborted) return;
    failed = true;
    const answer = await fetch(video.src, { signal }).catch(() => null);
    const broken = answer && !answer.ok ? (await refusal(answer)).message : "";
    answer?.body?.cancel().catch(() => {});
    tell({ failure: broken || "This browser cannot play its format." });
  }

  video.addEventListener("loadedmetadata", () => {
    if (!streaming && !video.videoWidth) return becomeStream("");
    if (streaming) wanted = null;
    else if (video.paused && !sought) [posing, video.currentTime] = [true, poster + 0.001];
    else if (wanted !== null) goTo(wanted);
    video.dispatchEvent(new Event("moved"));
  });
  video.addEventListener("play", () => { if (posing) goTo(wanted); });
  video.addEventListener("error", () => {
    if (signal.aborted || !video.hasAttribute("src")) return;
    if (!streaming) becomeStream("");
    else if (video.currentTime > 0 && tries++ < RETRIES) open(time());
    else fail();
  });
  video.addEventListener("ended", () => {
    if (!streaming || time() > duration - 1.5 || tries++ >= RETRIES) return;
    open(time(), 0);
    video.play().catch(() => {});
  });
  signal.addEventListener("abort", () => {
    clearTimeout(opening);
    video.pause();
    video.removeAttribute("src");
    video.load();
  });

  get(`${path}/playable`, { signal }).then((facts) => {
    if (facts.playable || playsItself(video, facts)) video.src = api(`${path}/media`);
    else becomeStream(facts.reason);
  }).catch((error) => {
    if (wasAborted(error)) return;
    failed = true;
    tell({ failure: error.message });
  });

  return { time, seek, isPosing: () => posing };
}
