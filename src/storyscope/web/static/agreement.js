// The table of agreement between every pair of versions, including the baselines.
import { get, wasAborted } from "./api.js";
import { make, setStyle } from "./dom.js";

const NAMES = {
  storyscope: "Automatic", uniform: "Equal lengths", "one-per-shot": "Every shot",
  "raw-clustering": "Clustering", osg: "OSG 2016", "osg-norm": "OSG 2018", stg: "STG",
  nw: "Alignment", consensus: "Consensus",
};

export function agreementTable(state) {
  const place = make("div");
  const element = make("details", { class: "advanced" }, make("summary", {}, "Advanced"),
    make("p", { class: "small soft" }, "Mean IoU is the average overlap of best-matching stories: "
      + "1 means equal, 0 means nothing in common. Baselines are simpler methods for comparison."),
    place);
  element.addEventListener("toggle", async () => {
    if (!element.open || place.childElementCount) return;
    place.textContent = "Computing…";
    try {
      const facts = await get(
        `${state.path}/annotations?baselines=true`, { signal: state.signal });
      place.replaceChildren(table(facts));
    } catch (error) {
      if (!wasAborted(error)) place.textContent = error.message;
    }
  });
  return element;
}

function table({ versions, mean_iou: agreement }) {
  const names = versions.map(({ name, kind }) => (kind === "person" ? name : NAMES[name] ?? name));
  const head = make("tr", {}, make("td"),
    ...names.map((name) => make("th", { scope: "col" }, name)));
  const cell = (value, self) => {
    const made = make("td", { class: self ? "self" : "" }, self ? "–" : value.toFixed(2));
    if (!self) setStyle(made, { "--share": `${Math.round(38 * value)}%` });
    return made;
  };
  return make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Agreement" },
    make("table", { class: "small agreement" }, make("caption", {}, "Mean IoU of each pair"),
      make("thead", {}, head), make("tbody", {}, ...names.map((name, row) =>
        make("tr", {}, make("th", { scope: "row" }, name),
          ...agreement[row].map((value, column) => cell(value, row === column)))))));
}
