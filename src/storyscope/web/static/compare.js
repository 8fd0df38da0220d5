// Several versions of one video as rows of coloured stories, with how far each agrees with the first.
import { clock, colour, make } from "./dom.js";

export function compareRows({ versions, mean_iou: agreement }, duration) {
  const rows = versions.map(({ name, starts }, row) => make("div", { class: "row" },
    make("span", { class: "small" }, name === "storyscope" ? "machine" : name),
    make("div", { class: "strip thin", role: "img", "aria-label": `${name}: ${starts.length} stories` },
      ...starts.map((start, n) => make("span", {
        style: `flex:${Math.max((starts[n + 1] ?? duration) - start, duration / 500)} 1 0;background:${colour(n)}`,
        title: `${clock(start)} – ${clock(starts[n + 1] ?? duration)}`,
      }))),
    make("span", { class: "small soft", title: "mean IoU with the machine's version" }, row ? agreement[0][row].toFixed(2) : "")));
  const note = versions.length < 2
    ? "Correct a boundary and save: your version appears here beside the machine's."
    : "The number is the mean IoU with the machine's version.";
  return make("div", {}, ...rows, make("p", { class: "small soft" }, note));
}
