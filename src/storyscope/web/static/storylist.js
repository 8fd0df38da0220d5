// The list of stories with picture, title, time and keywords. In edit mode, titles are editable.
import { picture } from "./api.js";
import { clock, colour, make, still } from "./dom.js";
import { retitle } from "./edit.js";
import { icon } from "./icons.js";
import { marked, termsOf } from "./matches.js";
import { rove } from "./rove.js";

const AT_ONCE = 100;
const AFTER_PAINT = 100;

export function storyList({ state, player, change }) {
  const list = make("ol", { class: "stories", "aria-label": "Stories" });
  const [buttons, fields] = [rove(list, "button"), rove(list, ".retitle")];
  let rows = new Map();
  let waiting = [];
  let now = -1;

  // Rows of unchanged stories are reused. If there are hundreds of stories, the visible rows are
  // built first and the others after the next paint.
  function draw() {
    const terms = termsOf(state.words);
    const hits = state.matchTimes ?? [];
    const known = rows;
    rows = new Map();
    waiting = state.stories().map((story, n) => () => {
      const found = hits.some((time) => story.start <= time && time < story.end);
      const key = keyOf(story, found, n);
      const row = known.get(key)
        ?? (state.draft ? editable(story, n) : entry(story, terms, found));
      row.style.setProperty("--tag", colour(n));
      rows.set(key, row);
      return row;
    });
    list.ariaBusy = String(state.sketched);
    list.children[now]?.classList.remove("now");
    list.children[now]?.removeAttribute("aria-current");
    now = -1;
    const whole = waiting;
    const kept = waiting.splice(0, Math.max(AT_ONCE, player.current() + 1));
    put(kept.map((build) => build()));
    if (waiting.length) setTimeout(() => { if (waiting === whole) rest(); }, AFTER_PAINT);
    buttons.draw();
    fields.draw();
  }

  const rest = () => list.append(...waiting.splice(0).map((build) => build()));

  // Updates the list to these rows without touching those that are already in place.
  function put(wanted) {
    const stay = new Set(wanted);
    [...list.children].forEach((row) => { if (!stay.has(row)) row.remove(); });
    let next = list.firstChild;
    for (const row of wanted) {
      if (row === next) next = next.nextSibling;
      else list.insertBefore(row, next);
    }
  }

  const keyOf = (story, found, n) => [story.start, story.end, story.title, story.picture,
    story.keywords, story.summary, found, state.draft ? n : ""].join("|");

  const shot = (story) => make("span", { class: "story-shot" },
    still(picture(state.id, story.picture), { loading: "lazy" }),
    make("i", { class: "tag" }), make("span", { class: "time" }, clock(story.start)));

  function entry(story, terms, found) {
    const named = story.title.toLowerCase();
    const others = story.keywords.filter((word) => !named.includes(word.toLowerCase()));
    return make("li", { class: "story" }, make("button", {
      type: "button", class: "story-go", tabindex: -1,
    }, shot(story), make("span", { class: "story-words" },
      make("b", {}, ...marked(story.title, terms)),
      make("span", { class: "small soft" }, `${clock(story.start)} – ${clock(story.end)}`,
        found ? make("span", { class: "found" }, icon("search"), "match") : null),
      others.length ? make("span", { class: "keywords small soft" },
        ...marked(others.slice(0, 4).join(", "), terms)) : null,
      story.summary ? make("span", { class: "small soft" }, ...marked(story.summary, terms))
        : null)));
  }

  function editable(story, n) {
    const field = make("input", {
      class: "retitle", tabindex: -1, value: story.named, placeholder: `Story ${n + 1}`,
      maxlength: 500,
      "aria-label": `Title of story ${n + 1}`,
      onchange: () => change(retitle(state.now, n, field.value.trim())),
      onkeydown: (event) => { if (event.key === "Enter") field.blur(); },
    });
    return make("li", { class: "story" }, make("div", { class: "story-go" },
      make("button", { type: "button", class: "bare", tabindex: -1,
        "aria-label": `Go to story ${n + 1}` }, shot(story)),
      make("span", { class: "story-words" }, field,
        make("span", { class: "small soft" }, `${clock(story.start)} – ${clock(story.end)}`))));
  }

  list.addEventListener("click", (event) => {
    const pressed = event.target.closest("button");
    if (!pressed) return;
    player.seek(state.now.starts[[...list.children].indexOf(pressed.closest("li"))]);
    if (event.detail) pressed.blur();
  });

  function mark(place) {
    if (place === now) return;
    list.children[now]?.removeAttribute("aria-current");
    list.children[now]?.classList.remove("now");
    now = place;
    const row = list.children[now];
    if (!row) return;
    row.setAttribute("aria-current", "true");
    row.classList.add("now");
    buttons.rest(row.querySelector("button"));
    fields.rest(row.querySelector(".retitle"));
    const panel = list.closest(".panel-body");
    if (!panel || !row.offsetParent || panel.contains(document.activeElement)) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < panel.scrollTop || bottom > panel.scrollTop + panel.clientHeight) {
      panel.scrollTo({ top: top - panel.clientHeight / 3, behavior: "smooth" });
    }
  }

  // Focuses the title of a story and selects its text.
  function name(place) {
    const field = list.children[place]?.querySelector(".retitle");
    field?.focus();
    field?.select();
  }

  return { element: list, draw, mark, name };
}
