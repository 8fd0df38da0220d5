// Picks the version: automatic, with fewer or more stories, or somebody's saved version.
import { send, wasAborted } from "./api.js";
import { iconButton, make, toast } from "./dom.js";
import { myName } from "./person.js";

const AUTOMATIC = "automatic";

export function versionPicker({ state, remove }) {
  const select = make("select", { "aria-label": "Version", onchange: choose });
  const bin = iconButton("trash", "Delete this version", () => remove(state.source.annotator));
  const dial = make("input", { type: "range", min: 0, max: 1, step: 0.05,
    "aria-label": "Fewer or more stories", oninput: turn, onchange: () => { turning = false; } });
  const amount = make("label", { class: "dial small soft" }, "Fewer", dial, "More stories");
  const own = iconButton("star", "", makeOwn);
  const element = make("div", { class: "picker" },
    make("div", { class: "picker-row" }, select, own, bin), amount);
  let turning = false;
  let offered = "";

  function choose() {
    const annotator = select.value || null;
    state.choose({ annotator, granularity: null }).catch(showError);
  }

  // A drag of the slider is one undo step, however long it is.
  function turn() {
    const again = turning;
    turning = true;
    state.regroup(Number(dial.value), { again }).catch(showError);
  }

  const showError = (error) => { if (!wasAborted(error)) toast(error.message); };

  // Makes this the version that search, export and the library use, or goes back to automatic.
  async function makeOwn() {
    const annotator = isOwn() ? null : state.source.annotator;
    try {
      await send("PUT", `${state.path}/own`, { annotator });
      state.video.own = annotator;
      await state.choose(annotator ? { annotator: null, granularity: null } : state.source);
      toast(annotator ? `The library now uses the version by ${annotator}`
        : "The library uses the automatic version again");
    } catch (error) { showError(error); }
  }

  const isOwn = () => Boolean(state.video.own) && !state.source.annotator;

  function draw() {
    const people = new Set(state.video.annotators);
    if (state.source.annotator) people.add(state.source.annotator);
    people.delete(AUTOMATIC);
    const kept = state.video.own;
    const first = kept ? [["", `Library version (by ${kept})`], [AUTOMATIC, "Automatic"]]
      : [["", "Automatic"]];
    const rest = [...people].map((name) => [name, name === myName() ? `${name} (you)` : name]);
    const options = [...first, ...rest];
    if (JSON.stringify(options) !== offered) {
      offered = JSON.stringify(options);
      select.replaceChildren(...options.map(([value, words]) => make("option", { value }, words)));
    }
    select.value = state.source.annotator ?? "";
    const person = state.source.annotator && state.source.annotator !== AUTOMATIC;
    const words = isOwn() ? "Use the automatic version in the library again"
      : "Use this version in the library: search, export and list";
    own.hidden = Boolean(state.draft) || !(person || isOwn());
    own.title = words;
    own.setAttribute("aria-label", words);
    own.setAttribute("aria-pressed", String(isOwn()));
    bin.hidden = !person || Boolean(state.draft);
    select.disabled = state.dirty;
    amount.hidden = Boolean(person || isOwn()) && !state.draft;
    dial.value = String(state.granularity);
  }

  return { element, draw };
}
