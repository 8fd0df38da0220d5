// The timeline of edit mode: keyframes, waveform and stories, with draggable boundaries.
import { picture } from "./api.js";
import { clock, colour, make, percent } from "./dom.js";
import { join, move } from "./edit.js";
import { rove } from "./rove.js";
import { drawWave } from "./waveform.js";

const SLACK = 6;
const CELL = 96;
const MOST_ZOOM = 60;
const ROOM = 60;

// `change` applies a new version, `seek` goes to a time, `why` explains a boundary.
export function timeline({ state, change, seek, why }) {
  const { duration, shots } = state;
  const edges = shots.map((shot) => shot.start);
  const pictures = make("div", { class: "lane pictures", "aria-hidden": "true" });
  const wave = make("canvas", { class: "lane wave", "aria-hidden": "true" });
  const blocks = make("div", { class: "lane blocks", role: "group", "aria-label": "Story blocks" });
  const grips = make("div", { class: "grips", role: "group", "aria-label": "Boundaries" });
  const needle = make("div", { class: "needle" });
  const tip = make("div", { class: "tip", role: "tooltip", id: "boundary-tip", hidden: true });
  const inner = make("div", { class: "timeline-inner" }, pictures, wave, blocks, grips, needle);
  const scroller = make("div", { class: "timeline-scroll", tabindex: 0, role: "region",
    "aria-label": "Timeline, scrolls sideways" }, inner);
  const zoomBar = make("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0,
    "aria-label": "Zoom", oninput: () => zoomTo(MOST_ZOOM ** Number(zoomBar.value)) });
  const element = make("section", { class: "timeline", "aria-label": "Timeline" }, scroller, tip,
    make("div", { class: "zoom small soft" }, make("label", {}, "Zoom", zoomBar)));
  const stops = rove(grips, ".grip", "pages");
  let zoom = 1;
  let roomy = false;
  let level = null;

  function zoomTo(value) {
    const centre = needle.offsetLeft - scroller.scrollLeft;
    zoom = Math.max(1, value);
    inner.style.setProperty("--zoom", zoom);
    lay(state.now.starts);
    scroller.scrollLeft = needle.offsetLeft - Math.min(centre, scroller.clientWidth);
    fillPictures();
    paint();
  }

  // Fills the visible width with keyframes, each the nearest to its position.
  function fillPictures() {
    const width = inner.clientWidth;
    const count = Math.max(1, Math.floor(width / CELL));
    const [from, to] = visible();
    const first = Math.max(0, Math.floor(from * count) - 1);
    const cells = [];
    for (let n = first; n < Math.min(count, Math.ceil(to * count) + 1); n += 1) {
      const seconds = ((n + 0.5) / count) * duration;
      cells.push(make("img", { src: picture(state.id, nearestPicture(seconds)), alt: "",
        draggable: "false", style: { left: percent(n, count), width: percent(1, count) } }));
    }
    pictures.replaceChildren(...cells);
  }

  const times = shots.flatMap((shot) => shot.pictures);
  const nearestPicture = (seconds) => times.reduce((best, each) =>
    (Math.abs(each - seconds) < Math.abs(best - seconds) ? each : best), times[0] ?? 0);

  function visible() {
    const width = inner.clientWidth || 1;
    return [scroller.scrollLeft / width, (scroller.scrollLeft + scroller.clientWidth) / width];
  }

  function paint() {
    if (!level) return;
    const [from, to] = visible();
    wave.style.left = `${scroller.scrollLeft}px`;
    drawWave(wave, level, from, to, scroller.clientWidth);
  }

  function draw() {
    const stories = state.stories();
    fit(blocks, stories.length, () => make("div", { class: "block" }, make("span")));
    fit(grips, stories.length - 1, grip);
    stories.forEach((story, n) => {
      const block = blocks.children[n];
      if (block.title !== story.title) block.title = block.firstChild.textContent = story.title;
      block.style.setProperty("--fill", colour(n));
    });
    lay(state.now.starts);
    stops.draw();
    makeRoom(stories.length);
  }

  // On touch screens, zooms in until every boundary can be grabbed with a finger.
  function makeRoom(count) {
    if (roomy || !scroller.clientWidth) return;
    roomy = true;
    if (!matchMedia("(pointer: coarse)").matches) return;
    const wanted = Math.min(MOST_ZOOM, (count * ROOM) / scroller.clientWidth);
    if (wanted <= 1) return;
    zoomBar.value = String(Math.log(wanted) / Math.log(MOST_ZOOM));
    zoomTo(wanted);
  }

  function lay(starts) {
    const end = (n) => starts[n + 1] ?? duration;
    [...blocks.children].forEach((block, n) => {
      block.style.left = percent(starts[n], duration);
      block.style.width = percent(end(n) - starts[n], duration);
    });
    [...grips.children].forEach((each, n) => {
      each.style.left = percent(starts[n + 1], duration);
      each.setAttribute("aria-valuemin", starts[n].toFixed(2));
      each.setAttribute("aria-valuenow", starts[n + 1].toFixed(2));
      each.setAttribute("aria-valuemax", end(n + 1).toFixed(2));
      each.setAttribute("aria-valuetext", clock(starts[n + 1]));
    });
  }

  function grip() {
    return make("div", { class: "grip", role: "slider", tabindex: -1,
      "aria-label": `Start of story ${grips.children.length + 2}`,
      "aria-describedby": "boundary-tip" });
  }

  // The index of the story whose start a grip moves, or 0 if the target is not a grip.
  const storyOf = ({ target }) => [...grips.children].indexOf(target) + 1;

  grips.addEventListener("keydown", (event) => {
    const story = storyOf(event);
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (step) byShot(story, step);
    else if (event.key === "Delete" || event.key === "Backspace") {
      change(join(state.now, story), "Stories joined");
      (grips.children[story - 1] ?? grips.lastChild)?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  grips.addEventListener("pointerdown", (event) => {
    if (storyOf(event)) drag(event, event.target, storyOf(event));
  });
  for (const name of ["pointerover", "focusin"]) {
    grips.addEventListener(name, (event) => {
      if (storyOf(event)) explain(event.target, storyOf(event));
    });
  }
  for (const name of ["pointerout", "focusout"]) grips.addEventListener(name, hideTip);

  // A drag is one undo step. Scrolling the page by touch cancels the drag without a change.
  function drag(event, element, story) {
    if (event.button) return;
    if (event.pointerType === "mouse") event.preventDefault();
    element.focus({ preventScroll: true });
    element.setPointerCapture(event.pointerId);
    let moved = null;
    const follow = (to) => {
      if (!moved && Math.abs(to.clientX - event.clientX) < SLACK) return;
      const seconds = timeAt(to);
      const tried = move(state.now, story, to.altKey ? seconds : nearestEdge(seconds), duration);
      if (!tried) return;
      moved = tried;
      lay(moved.starts);
      hideTip();
      seek(moved.starts[story]);
    };
    const stop = (end) => {
      element.removeEventListener("pointermove", follow);
      if (moved && end.type === "pointerup") change(moved);
      else lay(state.now.starts);
    };
    element.addEventListener("pointermove", follow);
    element.addEventListener("lostpointercapture", stop, { once: true });
    element.addEventListener("pointerup", stop, { once: true });
  }

  // Moves a boundary to the next shot, because stories rarely start in the middle of one.
  function byShot(story, direction) {
    const here = state.now.starts[story];
    const next = direction > 0 ? edges.find((edge) => edge > here + 0.01)
      : edges.findLast((edge) => edge < here - 0.01);
    const moved = next === undefined ? null : move(state.now, story, next, duration);
    change(moved);
    if (moved) seek(next + 0.01);
  }

  const nearestEdge = (seconds) => edges.reduce((best, edge) =>
    (Math.abs(edge - seconds) < Math.abs(best - seconds) ? edge : best), edges[0]);

  function timeAt({ clientX }) {
    const { left, width } = inner.getBoundingClientRect();
    return Math.min(Math.max((clientX - left) / width, 0), 1) * duration;
  }

  function explain(grip, story) {
    tip.textContent = `${clock(state.now.starts[story])} · ${why(state.now.starts[story])}`;
    tip.hidden = false;
    tip.classList.add("on");
    const box = element.getBoundingClientRect();
    const at = grip.getBoundingClientRect().left - box.left;
    tip.style.left = `${Math.min(Math.max(at, 90), box.width - 90)}px`;
  }

  function hideTip() {
    tip.hidden = true;
    tip.classList.remove("on");
  }

  function follow(seconds) {
    needle.style.left = percent(seconds, duration);
    const story = state.now.starts.findLastIndex((start) => start <= seconds + 0.02);
    stops.rest(grips.children[Math.max(0, story - 1)]);
    if (zoom === 1) return;
    const [left, right] = [scroller.scrollLeft, scroller.scrollLeft + scroller.clientWidth];
    const at = needle.offsetLeft;
    if (at < left || at > right) scroller.scrollLeft = at - scroller.clientWidth / 3;
  }

  function scrub(event) {
    if (event.button || event.target.closest(".grip")) return;
    seek(timeAt(event));
    if (event.pointerType === "touch") return;
    inner.setPointerCapture(event.pointerId);
  }
  inner.addEventListener("pointerdown", scrub);
  inner.addEventListener("pointermove", (event) => {
    if (inner.hasPointerCapture(event.pointerId)) seek(timeAt(event));
  });
  scroller.addEventListener("scroll", () => { paint(); fillPictures(); }, { passive: true });
  new ResizeObserver(() => { fillPictures(); paint(); }).observe(scroller);

  return { element, draw, follow, byShot, setLevel: (values) => { level = values; paint(); } };
}

// Adds or removes children until there are `count`, keeping the existing ones.
function fit(lane, count, build) {
  while (lane.children.length > Math.max(0, count)) lane.lastChild.remove();
  while (lane.children.length < count) lane.append(build());
}
