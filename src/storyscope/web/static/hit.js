// A search result: it shows the best-matching frame, previews from there and opens there.
import { api, picture, videoPath } from "./api.js";
import { clock, link, make, percent, still } from "./dom.js";
import { marked, termsOf } from "./matches.js";

const LOOP = 4;
const PARTS = { said: "Spoken", meant: "Topic", seen: "Visual", read: "On screen",
  spoken: "Spoken", topic: "Topic", visual: "Visual" };

export function hitCard(hit, { name, words }) {
  const { story, thumbnail } = hit;
  const moment = hit.moment ?? thumbnail.seconds;
  const terms = termsOf(words);
  const shot = make("div", { class: "shot" },
    still(picture(hit.video, thumbnail.seconds)),
    make("span", { class: "time" }, clock(moment)),
    make("span", { class: "where", "aria-hidden": "true" }, make("i", { style: {
      left: percent(story.start, hit.duration),
      width: percent(story.end - story.start, hit.duration) } })));
  const parts = Object.entries(hit.parts).filter(([, value]) => value >= 0.5)
    .map(([part]) => make("span", { class: "part" }, partLabel(hit, part)));
  const address = new URLSearchParams({ ...(words ? { q: words } : {}), t: moment.toFixed(1) });
  const main = make("a", { class: "card-link hit-link", "data-link": true,
    href: `/watch/${encodeURIComponent(hit.video)}?${address}` }, shot,
  make("div", { class: "body" }, make("b", {}, ...marked(story.title, terms)),
    make("span", { class: "small soft" },
      `${name} · ${clock(story.start)} – ${clock(story.end)}`),
    make("span", { class: "evidence" }, ...marked(hit.evidence, terms)),
    make("span", { class: "parts" }, ...parts)));
  preview(main, shot, hit, moment);
  return make("article", { class: "card hit" }, main,
    link(`/search?like=${encodeURIComponent(story.id)}`, "More like this",
      { class: "like small" }));
}

// Plays a muted preview of the match while the card is hovered or focused.
function preview(main, shot, hit, moment) {
  let film = null;
  let waiting;
  const start = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      film = make("video", { src: api(`${videoPath(hit.video)}/media`), playsinline: true,
        preload: "metadata" });
      film.muted = true;
      film.addEventListener("loadedmetadata", () => { if (film) film.currentTime = moment; });
      // At the end of the story, repeat its last seconds instead of playing the next story.
      film.addEventListener("timeupdate", () => {
        const { start: first, end } = hit.story;
        if (film?.currentTime >= end) film.currentTime = Math.max(first, end - LOOP);
      });
      film.addEventListener("seeked", () => {
        film?.classList.add("on");
        film?.play().catch(() => {});
      }, { once: true });
      shot.append(film);
    }, 350);
  };
  const stop = () => { clearTimeout(waiting); film?.remove(); film = null; };
  main.addEventListener("pointerenter", start);
  main.addEventListener("pointerleave", stop);
  main.addEventListener("focus", start);
  main.addEventListener("blur", stop);
}

// Sounds share a score with on-screen text; the evidence says which of the two matched.
function partLabel(hit, part) {
  return part === "read" && hit.evidence.startsWith("Sound,") ? "Sound" : PARTS[part] ?? part;
}
