// Compares versions: overlapping stories share a colour, and differing boundaries are marked.
import { get, wasAborted } from "./api.js";
import { alignBoundaries, differing, partners } from "./align.js";
import {
  button, clock, colour, iconButton, make, percent, plural, stories, toast, withIcon,
} from "./dom.js";
import { join, split } from "./edit.js";
import { agreementTable } from "./agreement.js";

const OWN = { machine: "Automatic", consensus: "Consensus of all people" };
const nameOf = ({ name, kind }) => OWN[kind] ?? name;

export function comparePanel({ state, player, accept, save }) {
  const body = make("div", { class: "compare" });
  const other = make("select", { "aria-label": "Compare with", onchange: () => lay() });
  /** @type {any[] | null} */
  let versions = null;
  let chosen = 0;
  let asked = false;
  let numbers = agreementTable(state);

  async function refresh() {
    asked = true;
    numbers = agreementTable(state);
    try {
      ({ versions } = await get(`${state.path}/annotations`, { signal: state.signal }));
    } catch (error) {
      if (!wasAborted(error)) toast(error.message);
      return;
    }
    draw();
  }

  function draw() {
    if (!asked) refresh();
    if (!versions) return;
    const others = versions.filter((version) => !isShown(version));
    const before = other.value;
    other.replaceChildren(...others.map((version) =>
      make("option", { value: version.name }, nameOf(version))));
    if (others.some(({ name }) => name === before)) other.value = before;
    lay();
  }

  const isShown = ({ name, kind }) => !state.dirty && (kind === "machine" ? state.isAutomatic
    : kind === "person" && name === state.source.annotator);

  function lay() {
    const rival = versions.find(({ name }) => name === other.value);
    if (!rival) {
      body.replaceChildren(make("p", { class: "soft" },
        "There is only one version of these stories. Edit and save them to compare your version "
        + "with the automatic one."));
      return;
    }
    const rows = alignBoundaries(state.now.starts, rival.starts);
    const apart = differing(rows);
    const summary = !rows.length ? "Neither version has a boundary."
      : apart.length ? `${apart.length} of ${plural(rows.length, "boundary", "boundaries")} differ`
      : "All boundaries agree.";
    const matched = partners(state.now.starts, rival.starts, state.duration);
    body.replaceChildren(
      make("div", { class: "tools" }, make("label", { class: "small" }, "Compare with ", other),
        make("b", {}, summary), make("span", { class: "spring" }),
        ...(state.dirty ? [withIcon("check", "Save", save, { class: "main" })] : [])),
      row(state.label, state.now.starts, state.now.starts.map((_, n) => n), apart, "first"),
      row(nameOf(rival), rival.starts, matched, apart, "second"),
      ...(apart.length ? [stepper(apart, rival)] : []), numbers);
  }

  function row(label, starts, colours, apart, side) {
    const end = (n) => starts[n + 1] ?? state.duration;
    return make("div", { class: "version-row" },
      make("span", { class: "small" }, `${label} · ${stories(starts.length)}`),
      make("div", { class: "version-bar", role: "img", "aria-label": `${label}: ${starts.length}` },
        ...starts.map((start, n) => make("span", { style: {
          left: percent(start, state.duration), width: percent(end(n) - start, state.duration),
          background: colour(colours[n]),
        }, title: `${clock(start)} – ${clock(end(n))}` })),
        ...apart.filter(({ only }) => only === side).map(({ at }) =>
          make("i", { class: "differs", style: { left: percent(at, state.duration) } }))));
  }

  // Steps through the differences one by one, each of which can be applied to this version.
  function stepper(apart, rival) {
    chosen = Math.min(chosen, apart.length - 1);
    const here = apart[chosen];
    const words = here.only === "first" ? `Only in this version: ${clock(here.at)}`
      : `Only in ${nameOf(rival)}: ${clock(here.at)}`;
    const go = (step) => {
      chosen = (chosen + step + apart.length) % apart.length;
      player.seek(apart[chosen].at);
      lay();
    };
    const take = here.only === "first"
      ? button("Remove it here",
        () => accept((version) => join(version, placeOf(version, here.at))))
      : button("Add it here", () => accept((version) => split(version, here.at)));
    return make("div", { class: "tools stepper", role: "group", "aria-label": "Differences" },
      iconButton("left", "Previous difference", () => go(-1)),
      make("span", { class: "small" }, `${chosen + 1} of ${apart.length}`),
      iconButton("right", "Next difference", () => go(1)),
      make("span", {}, words), button("Show", () => go(0)), take);
  }

  const placeOf = (version, seconds) =>
    version.starts.findIndex((start) => Math.abs(start - seconds) < 0.05);

  // Called after a version was saved, so that the next comparison loads all of them again.
  const forget = () => { asked = false; };

  return { element: body, draw, forget };
}
