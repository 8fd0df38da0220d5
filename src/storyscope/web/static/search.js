// Search: stories, each shown by the frame that answers this query.
import { api, clock, get, make, picture } from "./dom.js";

let latest = 0;

export async function showSearch(view, text) {
  document.title = text ? `${text} – Storyscope` : "Search – Storyscope";
  const mine = ++latest;
  const { hits } = text ? await get(`/search?q=${encodeURIComponent(text)}&limit=30`) : { hits: [] };
  if (mine !== latest) return;
  const words = hits.length === 1 ? "1 story" : `${hits.length} stories`;
  if (!hits.length) {
    view.replaceChildren(make("div", { class: "empty" },
      make("h1", {}, text ? `Nothing here answers “${text}”` : "What are you looking for?"),
      make("p", {}, "Try fewer or other words: what is said, what it is about, or what is seen."),
      make("a", { class: "button", href: "/", "data-link": true }, "Back to the library")));
    return;
  }
  view.replaceChildren(
    make("div", { class: "head" }, make("div", {}, make("h1", {}, `“${text}”`), make("p", { class: "soft" }, words))),
    make("div", { class: "grid" }, ...hits.map(card)));
}

function card(hit) {
  const { story, thumbnail } = hit;
  const shot = make("div", { class: "shot" },
    make("img", { src: picture(hit.video, thumbnail.seconds), alt: `Frame at ${clock(thumbnail.seconds)}` }),
    make("span", { class: "time" }, `${clock(story.start)} – ${clock(story.end)}`),
    make("span", { class: "where", "aria-hidden": "true" }, make("span", { style: `left:${(100 * story.start) / hit.duration}%;width:${(100 * (story.end - story.start)) / hit.duration}%` })));
  const said = Object.entries(hit.parts).filter(([, value]) => value >= 0.5).map(([name]) => make("span", { class: "part" }, name));
  const link = make("a", { class: "card hit", href: `/watch/${encodeURIComponent(hit.video)}?t=${story.start.toFixed(2)}`, "data-link": true },
    shot,
    make("div", { class: "body" }, make("b", {}, story.title), make("span", { class: "small soft" }, hit.video), make("span", { class: "evidence" }, hit.evidence), make("div", { class: "parts" }, ...said)));
  preview(link, shot, hit);
  return link;
}

// The passage itself plays, silently, while the pointer or the keyboard rests on the card.
function preview(link, shot, hit) {
  let film = null;
  let waiting;
  const start = () => {
    waiting = setTimeout(() => {
      film = make("video", { src: api(`/videos/${encodeURIComponent(hit.video)}/media`), muted: true, playsinline: true, preload: "metadata" });
      film.muted = true;
      film.addEventListener("loadedmetadata", () => { if (film) film.currentTime = hit.story.start; });
      film.addEventListener("seeked", () => { film?.classList.add("on"); film?.play().catch(() => {}); }, { once: true });
      shot.append(film);
    }, 350);
  };
  const stop = () => { clearTimeout(waiting); film?.remove(); film = null; };
  link.addEventListener("pointerenter", start);
  link.addEventListener("pointerleave", stop);
  link.addEventListener("focus", start);
  link.addEventListener("blur", stop);
}
