// What is said, sentence by sentence, following the film.
import { clock, make } from "./dom.js";

export function transcriptPanel(words, seek) {
  const lines = sentences(words);
  const list = make("div");
  const box = make("input", { type: "search", placeholder: "Find in transcript", "aria-label": "Find in transcript", oninput: () => fill() });
  const element = make("div", {}, make("h2", {}, "Transcript"), lines.length ? box : null, lines.length ? list : make("p", { class: "soft small" }, "No words are known for this film. Give a subtitle file with ", make("code", {}, "storyscope add film.mp4 --transcript film.srt"), "."));
  let rows = [];
  let now = -1;
  fill();

  function fill() {
    const wanted = box.value.trim().toLowerCase();
    rows = lines.filter((line) => !wanted || line.text.toLowerCase().includes(wanted)).map((line) => ({
      ...line,
      row: make("button", { type: "button", class: "say", onclick: () => seek(line.start) }, make("small", {}, clock(line.start)), ...marked(line.text, wanted)),
    }));
    list.replaceChildren(...rows.map((line) => line.row));
    now = -1;
  }

  function follow(seconds) {
    const at = rows.findLastIndex((line) => line.start <= seconds);
    if (at === now) return;
    rows[now]?.row.classList.remove("now");
    now = at;
    const row = rows[now]?.row;
    if (!row) return;
    row.classList.add("now");
    const panel = row.closest(".side");
    if (panel && document.activeElement !== box) panel.scrollTo({ top: row.offsetTop - panel.offsetTop - panel.clientHeight / 3, behavior: "smooth" });
  }

  return { element, follow };
}

function sentences(words) {
  const lines = [];
  let line = null;
  for (const [text, start, end] of words) {
    if (!line || start - line.end > 2) lines.push((line = { start, end, text: "" }));
    line.text += (line.text ? " " : "") + text;
    line.end = end;
    if (/[.!?…]["”']?$/.test(text)) line = null;
  }
  return lines;
}

function marked(text, wanted) {
  if (!wanted) return [text];
  const at = text.toLowerCase().indexOf(wanted);
  return at < 0 ? [text] : [text.slice(0, at), make("mark", {}, text.slice(at, at + wanted.length)), text.slice(at + wanted.length)];
}
