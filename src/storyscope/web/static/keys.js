// Keyboard shortcuts, modelled on YouTube's. Those that edit stories only work in edit mode.
import { make } from "./dom.js";
import { openDialog } from "./dialogs.js";

/** @type {[string, string[][]][]} */
const LIST = [
  ["Everywhere", [["/", "search"], ["?", "this list"], ["Esc", "leave a field or dialog"]]],
  ["Watching", [
    ["k or Space", "play, pause"], ["j l", "10 seconds back, forward"],
    ["← →", "5 seconds back, forward"], [", .", "one frame back, forward"],
    ["< >", "slower, faster"], ["0 – 9", "jump to a tenth of the video"],
    ["p n", "previous, next story"], ["m", "mute"], ["c", "captions"], ["f", "full screen"],
    ["w", "why does this story start here?"], ["e", "edit"]]],
  ["Editing", [
    ["s", "split here"], ["Backspace", "join with the story before"],
    ["[ ]", "start this story a shot earlier, later"], ["t", "type its title"],
    ["Ctrl+Z Ctrl+Shift+Z", "undo, redo"], ["Ctrl+S", "save"], ["e", "done"],
    ["Alt + drag", "move without snapping"]]],
  ["With Tab, then arrow keys", [
    ["↑ ↓", "from story to story, line to line"],
    ["← →", "from shot to shot, tool to tool"],
    ["← →", "on a boundary: move it by a shot"],
    ["PageUp PageDown", "from boundary to boundary"],
    ["↑ ↓ ← →", "from result to result"]]],
];

export function showKeys() {
  openDialog("Keyboard shortcuts", make("div", { class: "keys" },
    ...LIST.map(([title, keys]) => make("section", {}, make("h3", {}, title),
      make("dl", {}, ...keys.flatMap(([key, what]) => [
        make("dt", {}, ...key.split(" ").map(keycap)), make("dd", {}, what)]))))), { wide: true });
}

const WORDS = new Set(["or", "–", "then", "+"]);
const keycap = (key) => (WORDS.has(key) ? ` ${key} ` : make("kbd", {}, key));

export const inField = (target) =>
  target.matches("input:not([type=range]):not([type=checkbox]), textarea, select");

export function shortcuts({ player, editor, state, signal, why, edit, name }) {
  const by = (seconds) => () => player.seek(player.time() + seconds);
  const watching = {
    " ": player.toggle, k: player.toggle, j: by(-10), l: by(10), ArrowLeft: by(-5),
    ArrowRight: by(5), ",": () => player.frame(-1), ".": () => player.frame(1),
    "<": () => player.faster(-1), ">": () => player.faster(1), n: () => player.step(1),
    p: () => player.step(-1), m: player.mute, c: player.captions, f: player.fullScreen, w: why,
    e: edit,
  };
  for (let n = 0; n < 10; n += 1) watching[n] = () => player.seek((state.duration * n) / 10);

  document.addEventListener("keydown", (event) => {
    const { key } = event;
    const target = /** @type {HTMLElement} */ (event.target);
    const command = event.ctrlKey || event.metaKey;
    const saving = command && key === "s";
    if (event.defaultPrevented || event.altKey || (inField(target) && !saving)) return;
    if (document.querySelector("dialog[open]")) return;
    if (saving) target.blur();
    const editing = state.mode !== "watch" && state.draft;
    if (command && key.toLowerCase() === "z" && editing) {
      if (event.shiftKey) editor.redo();
      else editor.undo();
    } else if (saving && editing) editor.save();
    else if (command) return;
    else if (key === " " && target.matches("button, a, summary, [role=tab]")) return;
    else if (key.startsWith("Arrow") && target.matches("[role=tab], input, .timeline-scroll")) {
      return;
    } else if (state.mode === "edit" && key === "t") name();
    else if (state.mode === "edit" && editor.keys[key]) editor.keys[key]();
    else if (watching[key]) watching[key]();
    else return;
    event.preventDefault();
  }, { signal });
}
