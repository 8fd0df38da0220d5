// The player's seek bar: one segment per story, hover previews, and marks for search matches.
import { clock, make, percent, setStyle } from "./dom.js";

const PREVIEW = 176;

export function seekBar({ duration, seek, show, time }) {
  const segments = make("div", { class: "segments" });
  const marks = make("div", { class: "marks", "aria-hidden": "true" });
  const knob = make("div", { class: "knob" });
  const frame = make("div", { class: "frame" });
  const [titled, at] = [make("b"), make("span")];
  const preview = make("div", { class: "preview", "aria-hidden": "true" },
    frame, make("div", { class: "preview-words" }, titled, at));
  const element = make("div", {
    class: "seek", role: "slider", tabindex: 0, "aria-label": "Position", "aria-valuemin": 0,
    "aria-valuemax": Math.round(duration),
  }, segments, marks, knob, preview);
  let found = [];
  let shown = -1;

  // Segments are reused and only resized, because there may be hundreds.
  function draw(stories) {
    found = stories;
    const all = segments.children;
    while (all.length > stories.length) segments.lastChild.remove();
    segments.append(...Array.from({ length: stories.length - all.length },
      () => make("span", { class: "segment" }, make("i", { class: "played" }))));
    stories.forEach(({ start, end }, n) => {
      setStyle(all[n], { "--part": ((end - start) / duration).toFixed(6) });
    });
    shown = -1;
    follow();
  }

  function follow() {
    const now = time();
    const place = Math.max(0, found.findLastIndex(({ start }) => start <= now + 0.02));
    const all = segments.children;
    if (shown !== place) {
      const [from, to] = shown < 0 ? [0, found.length - 1]
        : [Math.min(shown, place), Math.max(shown, place)];
      for (let n = from; n <= to; n += 1) {
        all[n]?.firstChild.style.setProperty("--done", n < place ? "1" : "0");
        all[n]?.classList.toggle("now", n === place);
      }
      shown = place;
    }
    const { start, end } = found[place] ?? { start: 0, end: duration };
    const done = Math.min(Math.max((now - start) / (end - start), 0), 1);
    all[place]?.firstChild.style.setProperty("--done", done.toFixed(4));
    knob.style.left = percent(now, duration);
    element.setAttribute("aria-valuenow", Math.round(now));
    element.setAttribute("aria-valuetext", `${clock(now)} of ${clock(duration)}`);
  }

  function timeAt({ clientX }) {
    const { left, width } = segments.getBoundingClientRect();
    return Math.min(Math.max((clientX - left) / width, 0), 1) * duration;
  }

  function look(event) {
    const seconds = timeAt(event);
    const story = found.findLast(({ start }) => start <= seconds);
    preview.classList.add("on");
    titled.textContent = story?.title ?? "";
    at.textContent = clock(seconds);
    show(frame, seconds, PREVIEW);
    const half = `${preview.offsetWidth / 2}px`;
    preview.style.left = `clamp(${half}, ${percent(seconds, duration)}, calc(100% - ${half}))`;
  }

  // The pointer is captured, so scrubbing continues outside the bar.
  element.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    element.setPointerCapture(event.pointerId);
    element.classList.add("dragging");
    seek(timeAt(event));
  });
  element.addEventListener("pointermove", (event) => {
    look(event);
    if (element.hasPointerCapture(event.pointerId)) seek(timeAt(event));
  });
  for (const name of ["pointerup", "pointercancel"]) {
    element.addEventListener(name, () => {
      element.classList.remove("dragging");
      preview.classList.remove("on");
    });
  }
  element.addEventListener("pointerleave", () => {
    if (!element.classList.contains("dragging")) preview.classList.remove("on");
  });

  function mark(times) {
    marks.replaceChildren(...times.map((seconds) => {
      const tick = make("i");
      setStyle(tick, { left: percent(seconds, duration) });
      return tick;
    }));
  }

  return { element, draw, follow, mark };
}
