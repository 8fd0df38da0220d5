// Edit mode: a toolbar and a timeline for the draft, which is saved in the browser as you edit.
import { ask, get, send, wasAborted } from "./api.js";
import { choose, confirm, nameOnce, askName } from "./dialogs.js";
import { button, hideToast, iconButton, make, toast, withIcon } from "./dom.js";
import { bodyOf, join, split } from "./edit.js";
import { dropDraft, savedTag, setSavedTag } from "./person.js";
import { rove } from "./rove.js";
import { timeline } from "./timeline.js";

export function storyEditor({ state, player, why, done, saved }) {
  const undo = iconButton("undo", "Undo", () => back("undo"), { key: "Ctrl+Z" });
  const redo = iconButton("redo", "Redo", () => back("redo"), { key: "Ctrl+Shift+Z" });
  const save = withIcon("check", "Save", keep, { class: "main", "aria-label": "Save version",
    title: "Save version (Ctrl+S)" });
  const line = timeline({ state, change, seek: player.seek, why });
  const discard = button("Discard draft", throwAway);
  const bench = make("div", { class: "tools bench", role: "toolbar", "aria-label": "Edit stories" },
    withIcon("split", "Split", splitHere,
      { title: "Split the story here (s)", "aria-label": "Split" }),
    withIcon("join", "Join", joinHere,
      { title: "Join with the story before (Backspace)", "aria-label": "Join" }),
    iconButton("left", "Start this story a shot earlier", () => nudge(-1), { key: "[" }),
    iconButton("right", "Start this story a shot later", () => nudge(1), { key: "]" }),
    undo, redo, make("span", { class: "spring" }), discard, save,
    button("Done", done, { title: "Leave Edit (e)" }));
  bench.querySelectorAll("button").forEach((each) => { each.tabIndex = -1; });
  const tools = rove(bench, "button", "horizontal");
  const element = make("div", { class: "editor" }, bench, line.element);
  get(`${state.path}/waveform`, { signal: state.signal })
    .then(({ level }) => line.setLevel(level)).catch(() => {});

  // Applies an edit; `message` is shown with an Undo button.
  function change(version, message = "") {
    if (!version) return toast("Not possible here.");
    state.draft.push(version);
    state.changed();
    if (message) toast(message, { words: "Undo", run: () => back("undo") });
    else hideToast();
  }

  function back(way) {
    hideToast();
    if (state.draft?.[way]()) state.changed();
  }

  function splitHere() { change(split(state.now, player.time()), "Story split"); }

  function joinHere() {
    const place = player.current();
    if (!place) return toast("There is no story before the first.");
    change(join(state.now, place), "Stories joined");
  }

  function nudge(direction) {
    const place = player.current();
    if (!place) return toast("The first story starts with the video.");
    line.byShot(place, direction);
  }

  async function keep() {
    const name = await nameOnce();
    if (name) await saveAs(name);
  }

  async function saveAs(name, force = false) {
    const path = `${state.path}/annotations/${encodeURIComponent(name)}`;
    const tag = savedTag(state.id, name);
    const guard = force ? {} : tag ? { "If-Match": tag } : { "If-None-Match": "*" };
    try {
      const answer = await ask(path, { method: "PUT", body: JSON.stringify(bodyOf(state.now)),
        headers: { "Content-Type": "application/json", ...guard } });
      setSavedTag(state.id, name, answer.headers.get("etag"));
    } catch (error) {
      if (error.status === 412) return taken(name);
      return toast(`Not saved: ${error.message}`);
    }
    state.saved(name);
    saved();
    state.changed();
    toast(`Saved as ${name}`);
  }

  // A version of somebody else, or one saved from another browser, is only replaced on request.
  async function taken(name) {
    const answer = await choose(`There is already a version by ${name}`,
      "It was saved from another browser or has changed since. Save yours under another name?", [
        { words: "Cancel", value: null }, { words: "Replace it", value: "force", kind: "danger" },
        { words: "Use another name", value: "other", kind: "main" }]);
    if (answer === "force") await saveAs(name, true);
    if (answer !== "other") return;
    const other = await askName();
    if (other) await saveAs(other);
  }

  async function throwAway() {
    const words = "Your unsaved changes are removed.";
    if (!await confirm("Discard this draft?", words, "Discard")) return;
    dropDraft(state.id);
    state.draft = null;
    state.edit();
    state.changed();
  }

  function draw() {
    line.draw();
    undo.disabled = !state.draft?.canUndo;
    redo.disabled = !state.draft?.canRedo;
    save.disabled = discard.disabled = !state.dirty;
    tools.draw();
  }

  const keys = {
    s: splitHere, Backspace: joinHere, Delete: joinHere,
    "[": () => nudge(-1), "]": () => nudge(1),
  };
  return { element, change, draw, follow: line.follow, keys, undo: () => back("undo"),
    redo: () => back("redo"), focus: tools.focus, save: () => { if (state.dirty) keep(); } };
}

// Deletes a saved version after confirmation; the automatic version cannot be deleted.
export async function deleteVersion(state, name, mine) {
  const words = mine ? "Your saved version is removed for everyone."
    : `This version belongs to ${name}. It is removed for everyone.`;
  if (!await confirm(`Delete the version by ${name}?`, words, "Delete")) return false;
  try {
    await send("DELETE", `${state.path}/annotations/${encodeURIComponent(name)}`);
  } catch (error) {
    if (!wasAborted(error)) toast(error.message);
    return false;
  }
  setSavedTag(state.id, name, null);
  toast(`Deleted the version by ${name}`);
  return true;
}
