// Modal dialogs that return a promise of the answer.
import { button, make } from "./dom.js";
import { myName, setMyName, wrongName } from "./person.js";

export function openDialog(title, body, { wide = false, onclose = () => {} } = {}) {
  const close = make("button", { class: "icon", type: "button", "aria-label": "Close",
    onclick: () => dialog.close() }, "×");
  const dialog = make("dialog", { class: wide ? "wide" : "", "aria-label": title },
    make("div", { class: "dialog-head" }, make("h2", {}, title), close), body);
  dialog.addEventListener("close", () => { dialog.remove(); onclose(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

// Resolves to the value of the button that was pressed, or to null if the dialog was closed.
export function choose(title, words, actions) {
  return new Promise((answer) => {
    let chosen = null;
    const buttons = actions.map(({ words: label, value, kind = "" }) =>
      button(label, () => { chosen = value; dialog.close(); }, { class: kind }));
    const dialog = openDialog(title, make("div", {}, make("p", {}, words),
      make("div", { class: "tools end" }, ...buttons)), { onclose: () => answer(chosen) });
    buttons.at(-1)?.focus();
  });
}

export const confirm = (title, words, action) => choose(title, words, [
  { words: "Cancel", value: false }, { words: action, value: true, kind: "danger" },
]);

// Resolves to a line of text, or to null; `check` returns an error message for invalid text.
export function askText(title, {
  label, value = "", action = "Save", hint = "", check = (_) => "",
}) {
  return new Promise((answer) => {
    let given = null;
    const wrong = make("p", { class: "warn small", role: "alert" });
    const input = make("input", { value, maxlength: 60, required: true, autocomplete: "off" });
    const form = make("form", {
      onsubmit: (event) => {
        event.preventDefault();
        const text = input.value.trim();
        wrong.textContent = check(text);
        if (wrong.textContent || !text) return;
        given = text;
        dialog.close();
      },
    }, make("label", { class: "field" }, label, input),
    hint ? make("p", { class: "soft small" }, hint) : null, wrong,
    make("div", { class: "tools end" }, button("Cancel", () => dialog.close()),
      make("button", { class: "main" }, action)));
    const dialog = openDialog(title, form, { onclose: () => answer(given) });
    input.select();
  });
}

// The person's name, asked for once. The header shows it and lets people change it.
export async function nameOnce() {
  return myName() || askName();
}

export async function askName() {
  const name = await askText("What is your name?", {
    label: "Your name", value: myName(), action: "Continue", check: wrongName,
    hint: "Your versions of the stories are saved under it. You can change it in the header.",
  });
  if (name) {
    setMyName(name);
    document.dispatchEvent(new Event("named"));
  }
  return name;
}
