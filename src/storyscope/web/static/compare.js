// Several versions of one video as rows of coloured stories, and how far each pair agrees.
import { clock, colour, make } from "./dom.js";

const BASELINES = {
  uniform: ["equal lengths", "Stories of equal length, as many as people marked"],
  "one-per-shot": ["every shot", "Each shot a story of its own"],
  "raw-clustering": ["clustering", "Exact clustering of features that nobody trained"],
  osg: ["OSG 2016", "Optimal sequential grouping, additive cost"],
  "osg-norm": ["OSG 2018", "Optimal sequential grouping, normalised cost"],
  stg: ["STG", "Scene transition graphs, trained on the library's other annotated films"],
  nw: ["alignment", "Needleman-Wunsch alignment, trained on the library's other annotated films"],
};
const called = ({ name, kind }) => (kind === "machine" ? "machine" : kind === "baseline" ? BASELINES[name]?.[0] ?? name : name);

export function compareRows(video, { versions, mean_iou: agreement }, duration) {
  const rows = versions.map((version) => {
    const { starts, kind } = version;
    return make("div", { class: `row ${kind}` },
      label(video, version),
      make("div", { class: "strip thin", role: "img", "aria-label": `${called(version)}: ${starts.length} stories` },
        ...starts.map((start, n) => make("span", {
          style: `left:${(100 * start) / duration}%;width:${(100 * ((starts[n + 1] ?? duration) - start)) / duration}%;background:${colour(n)}`,
          title: `${clock(start)} – ${clock(starts[n + 1] ?? duration)}`,
        }))),
      make("span", { class: "small soft count" }, `${starts.length}`));
  });
  const alone = versions.length < 2;
  return make("div", { class: "versions" }, ...rows,
    alone ? make("p", { class: "small soft" }, "Correct a boundary and save: your version appears here beside the machine's.") : matrix(versions, agreement));
}

function label(video, version) {
  const { name, kind } = version;
  if (kind === "consensus") return make("span", { class: "small", title: "What agrees most with all people" }, name);
  if (kind === "baseline") return make("span", { class: "small soft", title: BASELINES[name]?.[1] ?? name }, called(version));
  const address = `/watch/${encodeURIComponent(video)}${kind === "machine" ? "" : `?annotator=${encodeURIComponent(name)}`}`;
  return make("a", { class: "small", href: address, "data-link": true }, called(version));
}

function matrix(versions, agreement) {
  const names = versions.map(called);
  const shade = (value) => `background:color-mix(in srgb, var(--accent) ${Math.round(38 * value)}%, transparent)`;
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Agreement" }, make("table", { class: "small agreement" },
    make("caption", {}, "Mean IoU of each pair"),
    make("thead", {}, make("tr", {}, make("td"), ...names.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...names.map((name, row) => make("tr", {}, make("th", { scope: "row" }, name),
      ...agreement[row].map((value, column) => make("td", { style: row === column ? null : shade(value), class: row === column ? "self" : "" }, row === column ? "–" : value.toFixed(2))))))));
}
