// Several versions of one video as rows of coloured stories, and how far each pair agrees.
import { clock, colour, make } from "./dom.js";

const called = (name) => (name === "storyscope" ? "machine" : name);

export function compareRows(video, { versions, mean_iou: agreement }, duration) {
  const rows = versions.map(({ name, starts }, row) => make("div", { class: "row" },
    label(video, name),
    make("div", { class: "strip thin", role: "img", "aria-label": `${called(name)}: ${starts.length} stories` },
      ...starts.map((start, n) => make("span", {
        style: `left:${(100 * start) / duration}%;width:${(100 * ((starts[n + 1] ?? duration) - start)) / duration}%;background:${colour(n)}`,
        title: `${clock(start)} – ${clock(starts[n + 1] ?? duration)}`,
      }))),
    make("span", { class: "small soft count" }, `${starts.length}`)));
  const alone = versions.length < 2;
  return make("div", { class: "versions" }, ...rows,
    alone ? make("p", { class: "small soft" }, "Correct a boundary and save: your version appears here beside the machine's.") : matrix(versions, agreement));
}

function label(video, name) {
  if (name === "consensus") return make("span", { class: "small", title: "What agrees most with all people" }, name);
  const address = `/watch/${encodeURIComponent(video)}${name === "storyscope" ? "" : `?annotator=${encodeURIComponent(name)}`}`;
  return make("a", { class: "small", href: address, "data-link": true }, called(name));
}

function matrix(versions, agreement) {
  const names = versions.map(({ name }) => called(name));
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Agreement" }, make("table", { class: "small agreement" },
    make("caption", {}, "Mean IoU of each pair"),
    make("thead", {}, make("tr", {}, make("td"), ...names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...names.map((name, row) => make("tr", {}, make("th", { scope: "row" }, name), ...agreement[row].map((value) => make("td", {}, value.toFixed(2))))))));
}
