// The stories as a strip of coloured blocks: it seeks, and the boundaries between them can be dragged.
import { clock, colour, make, textOn } from "./dom.js";
import { merge, move } from "./edit.js";

const SNAP = 8;

// `now` gives the version that is edited, `change` takes the next one, `seek` goes to a time,
// `show` fills the preview with the picture of a time, `why` gives what explains a boundary.
export function storyStrip({ duration, shots, now, change, seek, show, why }) {
  const blocks = make("div", { class: "strip", role: "group", "aria-label": "Stories" });
  const handles = make("div", { class: "handles", role: "group", "aria-label": "Boundaries" });
  const needle = make("div", { class: "needle" });
  const picture = make("div", { class: "frame" });
  const at = make("span");
  const peek = make("div", { class: "peek", "aria-hidden": "true" }, picture, at);
  const reason = make("div", { class: "peek told-why", role: "tooltip", id: "told-why" });
  const element = make("div", { class: "rail" }, blocks, handles, needle, peek, reason);
  const percent = (seconds) => `${((100 * seconds) / duration).toFixed(4)}%`;
  const edges = shots.map((shot) => shot.start);

  function draw() {
    const { starts, titles } = now();
    const kept = focusedBoundary();
    blocks.replaceChildren(...starts.map((begin, n) => {
      const end = starts[n + 1] ?? duration;
      return make("button", {
        type: "button", style: `background:${colour(n)};color:${textOn(n)}`, title: titles[n] ?? "", "data-n": n + 1,
        "aria-label": `Story ${n + 1}: ${titles[n] || "untitled"}, ${clock(begin)} to ${clock(end)}`,
        onclick: (event) => { if (!event.detail) seek(begin); },
      }, titles[n] || String(n + 1));
    }));
    handles.replaceChildren(...starts.slice(1).map((_, n) => handle(n + 1)));
    lay(starts);
    if (kept) handles.children[kept - 1]?.focus();
  }

  function lay(starts) {
    [...blocks.children].forEach((block, n) => {
      block.style.left = percent(starts[n]);
      block.style.width = percent((starts[n + 1] ?? duration) - starts[n]);
    });
    [...handles.children].forEach((grip, n) => {
      const [low, here, high] = [starts[n], starts[n + 1], starts[n + 2] ?? duration];
      grip.style.left = percent(here);
      for (const [name, value] of [["min", low], ["now", here], ["max", high]]) grip.setAttribute(`aria-value${name}`, value.toFixed(2));
      grip.setAttribute("aria-valuetext", clock(here));
    });
  }

  function handle(story) {
    const grip = make("div", { class: "grip", role: "slider", tabindex: 0, "aria-label": `Start of story ${story + 1}`, "aria-describedby": "told-why" });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (step) byShot(story, step);
      else if (event.key === "Delete" || event.key === "Backspace") change(merge(now(), story));
      else if (event.key === "Escape") hush();
      else return;
      event.preventDefault();
    });
    grip.addEventListener("pointerdown", (event) => drag(event, grip, story));
    grip.addEventListener("pointerenter", () => explain(story));
    grip.addEventListener("focus", () => explain(story));
    grip.addEventListener("pointerleave", hush);
    grip.addEventListener("blur", hush);
    return grip;
  }

  // The version changes once, when the boundary is let go: one drag is one step to undo.
  function drag(event, grip, story) {
    if (event.button) return;
    event.preventDefault();
    grip.focus();
    grip.setPointerCapture(event.pointerId);
    let moved = null;
    const follow = (to) => {
      const seconds = timeAt(to);
      const tried = move(now(), story, to.altKey ? seconds : nearest(seconds), duration);
      if (!tried) return;
      moved = tried;
      lay(moved.starts);
      hush();
      look(moved.starts[story]);
    };
    const stop = (end) => {
      grip.removeEventListener("pointermove", follow);
      hide();
      if (moved && end.type === "pointerup") change(moved);
      else lay(now().starts);
    };
    grip.addEventListener("pointermove", follow);
    for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, stop, { once: true });
  }

  // Pressing the strip seeks, and so does drawing along it; near the start of a story, to that.
  function scrub(event) {
    if (event.button) return;
    const go = (to) => {
      const close = (SNAP / blocks.clientWidth) * duration;
      const seconds = timeAt(to);
      seek(now().starts.find((begin) => Math.abs(begin - seconds) < close) ?? seconds);
    };
    const stop = () => { blocks.removeEventListener("pointermove", go); };
    go(event);
    blocks.addEventListener("pointermove", go);
    for (const name of ["pointerup", "pointercancel", "pointerleave"]) addEventListener(name, stop, { once: true });
  }

  // Boundaries snap to the shots around them: a story seldom begins in the middle of a shot.
  function byShot(story, direction) {
    const here = now().starts[story];
    const next = direction > 0 ? edges.find((edge) => edge > here + 0.01) : edges.findLast((edge) => edge < here - 0.01);
    change(next === undefined ? null : move(now(), story, next, duration));
  }

  const nearest = (seconds) => edges.reduce((best, edge) => (Math.abs(edge - seconds) < Math.abs(best - seconds) ? edge : best), edges[0]);
  const focusedBoundary = () => [...handles.children].indexOf(document.activeElement) + 1;

  function timeAt({ clientX }) {
    const { left, width } = blocks.getBoundingClientRect();
    return Math.min(Math.max((clientX - left) / width, 0), 1) * duration;
  }

  function place(box, seconds) {
    const half = `${box.offsetWidth / 2}px`;
    box.style.left = `clamp(${half}, ${percent(seconds)}, calc(100% - ${half}))`;
  }

  function look(seconds) {
    peek.classList.add("on");
    show(picture, seconds);
    at.textContent = clock(seconds);
    place(peek, seconds);
  }

  function explain(story) {
    const told = why(now().starts[story]);
    if (!told) return;
    hide();
    reason.replaceChildren(make("b", { class: "small" }, `Why here, at ${clock(now().starts[story])}?`), told);
    reason.classList.add("on");
    place(reason, now().starts[story]);
  }

  function hide() { peek.classList.remove("on"); }
  function hush() { reason.classList.remove("on"); }

  function mark(story) {
    [...blocks.children].forEach((block, n) => {
      block.classList.toggle("now", n === story);
      if (n === story) block.setAttribute("aria-current", "true");
      else block.removeAttribute("aria-current");
    });
  }

  blocks.addEventListener("pointerdown", scrub);
  blocks.addEventListener("pointermove", (event) => look(timeAt(event)));
  blocks.addEventListener("pointerleave", hide);
  return { element, draw, mark, byShot, at: (seconds) => { needle.style.left = percent(seconds); } };
}
