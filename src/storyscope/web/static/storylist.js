// The stories as a list: picture, title, time and keywords; in Edit the titles are fields.
import { picture } from "./api.js";
import { clock, colour, make, still } from "./dom.js";
import { retitle } from "./edit.js";
import { icon } from "./icons.js";
import { marked, termsOf } from "./matches.js";

export function storyList({ state, seek, change }) {
  const list = make("ol", { class: "stories", "aria-label": "Stories" });
  let now = -1;

  function draw() {
    const terms = termsOf(state.words);
    const hits = state.matchTimes ?? [];
    const top = list.parentElement?.scrollTop ?? 0;
    list.replaceChildren(...state.stories().map((story, n) => {
      const found = hits.some((time) => story.start <= time && time < story.end);
      return state.draft ? editable(story, n) : entry(story, n, terms, found);
    }));
    if (list.parentElement) list.parentElement.scrollTop = top;
    now = -1;
  }

  const shot = (story, n) => make("span", { class: "story-shot" },
    still(picture(state.id, story.picture), { loading: "lazy" }),
    make("i", { class: "tag", style: { background: colour(n) } }),
    make("span", { class: "time" }, clock(story.start)));

  function entry(story, n, terms, found) {
    const named = story.title.toLowerCase();
    const others = story.keywords.filter((word) => !named.includes(word.toLowerCase()));
    return make("li", { class: "story" }, make("button", {
      type: "button", class: "story-go",
      onclick: (event) => {
        seek(story.start);
        if (event.detail) event.currentTarget.blur();
      },
    }, shot(story, n), make("span", { class: "story-words" },
      make("b", {}, ...marked(story.title, terms)),
      make("span", { class: "small soft" }, `${clock(story.start)} – ${clock(story.end)}`,
        found ? make("span", { class: "found" }, icon("search"), "match") : null),
      make("span", { class: "keywords small soft" },
        ...marked(others.slice(0, 4).join(", "), terms)),
      story.summary ? make("span", { class: "small soft" }, ...marked(story.summary, terms))
        : null)));
  }

  function editable(story, n) {
    const field = make("input", {
      class: "retitle", value: story.named, placeholder: `Story ${n + 1}`, maxlength: 500,
      "aria-label": `Title of story ${n + 1}`,
      onchange: () => change(retitle(state.now, n, field.value.trim())),
      onkeydown: (event) => { if (event.key === "Enter") field.blur(); },
    });
    return make("li", { class: "story" }, make("div", { class: "story-go" },
      make("button", { type: "button", class: "bare", onclick: () => seek(story.start),
        "aria-label": `Go to story ${n + 1}` }, shot(story, n)),
      make("span", { class: "story-words" }, field,
        make("span", { class: "small soft" }, `${clock(story.start)} – ${clock(story.end)}`))));
  }

  function mark(place) {
    if (place === now) return;
    list.children[now]?.removeAttribute("aria-current");
    list.children[now]?.classList.remove("now");
    now = place;
    const row = list.children[now];
    if (!row) return;
    row.setAttribute("aria-current", "true");
    row.classList.add("now");
    const panel = list.closest(".panel-body");
    if (!panel || !row.offsetParent || panel.contains(document.activeElement)) return;
    const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
    if (top < panel.scrollTop || bottom > panel.scrollTop + panel.clientHeight) {
      panel.scrollTo({ top: top - panel.clientHeight / 3, behavior: "smooth" });
    }
  }

  return { element: list, draw, mark };
}
