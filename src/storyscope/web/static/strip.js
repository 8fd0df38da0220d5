// The stories as a strip of coloured blocks; the boundaries between them can be dragged.
import { clock, colour, make, picture, textOn } from "./dom.js";
import { merge, move } from "./edit.js";

// `now` gives the version that is edited, `change` takes the next one, `seek` goes to a time.
export function storyStrip({ video, duration, shots, now, change, seek }) {
  const blocks = make("div", { class: "strip", role: "group", "aria-label": "Stories" });
  const handles = make("div", { class: "handles", role: "group", "aria-label": "Boundaries" });
  const needle = make("div", { class: "needle" });
  const peek = make("div", { class: "peek", "aria-hidden": "true" }, make("img", { alt: "" }), make("span"));
  const element = make("div", { class: "rail" }, blocks, handles, needle, peek);
  const percent = (seconds) => `${((100 * seconds) / duration).toFixed(4)}%`;
  const edges = shots.map((shot) => shot.start);

  function draw() {
    const { starts, titles } = now();
    const kept = focusedBoundary();
    blocks.replaceChildren(...starts.map((begin, n) => {
      const end = starts[n + 1] ?? duration;
      return make("button", {
        type: "button", style: `background:${colour(n)};color:${textOn(n)}`, title: titles[n] ?? "",
        "aria-label": `Story ${n + 1}: ${titles[n] || "untitled"}, ${clock(begin)} to ${clock(end)}`, onclick: () => seek(begin),
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
      const [low, at, high] = [starts[n], starts[n + 1], starts[n + 2] ?? duration];
      grip.style.left = percent(at);
      for (const [name, value] of [["min", low], ["now", at], ["max", high]]) grip.setAttribute(`aria-value${name}`, value.toFixed(2));
      grip.setAttribute("aria-valuetext", clock(at));
    });
  }

  function handle(story) {
    const grip = make("div", { class: "grip", role: "slider", tabindex: 0, "aria-label": `Start of story ${story + 1}`, title: "Drag, or use the arrow keys; Delete joins the stories" });
    grip.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (step) byShot(story, step);
      else if (event.key === "Delete" || event.key === "Backspace") change(merge(now(), story));
      else return;
      event.preventDefault();
    });
    grip.addEventListener("pointerdown", (event) => drag(event, grip, story));
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
      const at = timeAt(to);
      const tried = move(now(), story, to.altKey ? at : nearest(at), duration);
      if (!tried) return;
      moved = tried;
      lay(moved.starts);
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

  // Boundaries snap to the shots around them: a story seldom begins in the middle of a shot.
  function byShot(story, direction) {
    const at = now().starts[story];
    const next = direction > 0 ? edges.find((edge) => edge > at + 0.01) : edges.findLast((edge) => edge < at - 0.01);
    change(next === undefined ? null : move(now(), story, next, duration));
  }

  const nearest = (at) => edges.reduce((best, edge) => (Math.abs(edge - at) < Math.abs(best - at) ? edge : best), edges[0]);
  const focusedBoundary = () => [...handles.children].indexOf(document.activeElement) + 1;

  function timeAt({ clientX }) {
    const { left, width } = blocks.getBoundingClientRect();
    return Math.min(Math.max((clientX - left) / width, 0), 1) * duration;
  }

  function look(at) {
    peek.style.left = `clamp(5.5rem, ${percent(at)}, calc(100% - 5.5rem))`;
    peek.classList.add("on");
    peek.querySelector("img").src = picture(video, at);
    peek.querySelector("span").textContent = clock(at);
  }

  function hide() { peek.classList.remove("on"); }

  function mark(story) {
    [...blocks.children].forEach((block, n) => {
      block.classList.toggle("now", n === story);
      if (n === story) block.setAttribute("aria-current", "true");
      else block.removeAttribute("aria-current");
    });
  }

  blocks.addEventListener("pointermove", (event) => look(timeAt(event)));
  blocks.addEventListener("pointerleave", hide);
  return { element, draw, mark, byShot, at: (seconds) => { needle.style.left = percent(seconds); } };
}
