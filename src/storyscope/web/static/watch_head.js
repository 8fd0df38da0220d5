// Actions, warnings and the notice about an unsaved draft, around the player.
import { button, make, toast, withIcon } from "./dom.js";
import { exportButton } from "./export.js";
import { icon } from "./icons.js";
import { dropDraft } from "./person.js";

export function headActions({ state, player, setMode }) {
  const edit = withIcon("edit", "Edit", () => setMode(state.mode === "edit" ? "watch" : "edit"));
  const compare = withIcon("compare", "Compare",
    () => setMode(state.mode === "compare" ? "watch" : "compare"));
  const share = withIcon("link", "Copy link", copyLink);
  const element = make("div", { class: "tools actions" },
    edit, compare, exportButton(state, { signal: state.signal }), share);

  async function copyLink() {
    if (state.dirty) return toast("Save the draft first: a link cannot show unsaved changes.");
    const address = new URL(state.address(player.time()), location.href).href;
    const done = await navigator.clipboard?.writeText(address).then(() => true, () => false);
    toast(done ? "Link copied" : address);
  }

  function draw() {
    edit.setAttribute("aria-pressed", String(state.mode === "edit"));
    compare.setAttribute("aria-pressed", String(state.mode === "compare"));
  }
  return { element, draw };
}

export function warnings(state) {
  const { damage } = state.video;
  return damage ? [make("p", { class: "notice warn", role: "status" }, icon("warn"),
    make("span", {}, `The file is damaged: ${damage}. Only what could be read is here.`))] : [];
}

// A notice about unsaved changes from an earlier visit.
export function draftNotice(state, draft, goOn) {
  if (!draft || state.draft) return [];
  const when = new Date(draft.at).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  return [make("div", { class: "notice" }, icon("edit"),
    make("span", {}, `You have an unsaved draft from ${when}.`),
    button("Continue editing", goOn, { class: "main" }),
    button("Discard", () => {
      dropDraft(state.id);
      state.changed();
      const { source, version, at } = draft;
      const key = `draft:${state.id}`;
      const back = JSON.stringify({ source, version, at });
      toast("Draft discarded", { words: "Undo", run: () => {
        localStorage.setItem(key, back);
        state.changed();
      } });
    }))];
}

// A skip link: visible on keyboard focus, it jumps to something far down the page.
export const skipTo = (words, go) => button(words, go, { class: "skip" });
