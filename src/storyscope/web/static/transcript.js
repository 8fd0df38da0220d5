// The transcript by sentence. It follows playback and highlights the words of the query.
import { sentences } from "./captions.js";
import { clock, make } from "./dom.js";
import { holds, marked, termsOf } from "./matches.js";
import { rove } from "./rove.js";
import { called, speakerAt } from "./people.js";

export function transcriptPanel({ words, query, speakers, seek, whenEmpty }) {
  const lines = sentences(words);
  const list = make("div", { class: "lines" });
  const count = make("span", { class: "small soft", role: "status" });
  const box = make("input", { type: "search", placeholder: "Find in transcript", value: query,
    "aria-label": "Find in transcript", oninput: () => fill() });
  const head = make("div", { class: "find" }, box, count);
  const element = make("div", {}, ...(lines.length ? [head, list] : [whenEmpty]));
  const stops = rove(list, ".say");
  let rows = [];
  let now = -1;
  let touched = 0;
  list.addEventListener("wheel", () => { touched = Date.now(); }, { passive: true });
  list.addEventListener("touchmove", () => { touched = Date.now(); }, { passive: true });
  fill();

  function fill() {
    const terms = termsOf(box.value);
    const found = lines.filter((line) => holds(line.text, terms));
    // Typing here filters the sentences; without a match, the whole transcript stays visible.
    const shown = found.length && box.value !== query ? found : lines;
    count.textContent = !terms.length ? ""
      : found.length ? `${found.length} found` : "Not found";
    let before;
    rows = shown.map((line) => {
      const who = speakerAt(speakers, (line.start + line.end) / 2) ?? before;
      const name = who && who !== before ? make("b", { class: "who" }, called(who)) : null;
      before = who;
      return { ...line, row: make("button", {
        type: "button", class: "say", tabindex: -1, onclick: (event) => {
          seek(line.start);
          if (event.detail) event.currentTarget.blur();
        } }, make("small", {}, clock(line.start)),
      make("span", {}, name, ...marked(line.text, terms))) };
    });
    list.replaceChildren(...rows.map((line) => line.row));
    now = -1;
    stops.draw();
  }

  function follow(seconds) {
    const at = rows.findLastIndex((line) => line.start <= seconds + 0.02);
    if (at === now) return;
    rows[now]?.row.classList.remove("now");
    now = at;
    const row = rows[now]?.row;
    row?.classList.add("now");
    stops.rest(row);
    const panel = element.closest(".panel-body");
    const busy = document.activeElement === box || Date.now() - touched < 4000;
    if (!row || !panel || busy || !row.offsetParent) return;
    const top = row.offsetTop - panel.clientHeight / 3;
    panel.scrollTo({ top, behavior: "smooth" });
  }

  const times = () => {
    const terms = termsOf(query);
    return lines.filter((line) => holds(line.text, terms)).map((line) => line.start);
  };
  return { element, draw: fill, follow, times };
}
