// The search view: stories with their best-matching frame. Filters are part of the address.
import { ask, get, picture, videoPath, wasAborted } from "./api.js";
import { button, empty, link, make, nameOf, readable, stories, toast, withIcon } from "./dom.js";
import { hitCard } from "./hit.js";
import { go } from "./router.js";
import { faceNames, speakerNames } from "./people.js";

const PAGE = 24;
const MOST_NAMED = 6;
const FILTERS = ["video", "kind", "length", "language", "speaker", "face"];
const LENGTHS = { "": "Any length", short: "Under 1 minute", middle: "1 to 5 minutes",
  long: "Over 5 minutes" };
const BOUNDS = { short: { longest: 60 }, middle: { shortest: 60, longest: 300 },
  long: { shortest: 300 } };
const KINDS = { "": "Spoken or seen", spoken: "Spoken", topic: "Topic", visual: "Visual" };
const SORTS = { "": "Best match", time: "Order in video", longest: "Longest" };
const LANGUAGES = { "": "Any language", en: "English", de: "German", fr: "French", es: "Spanish",
  it: "Italian", pt: "Portuguese", nl: "Dutch" };

export async function showSearch({ view, params, signal }) {
  const text = (params.get("q") ?? "").trim();
  const like = params.get("like");
  document.title = text ? `${text} – Storyscope` : "Search – Storyscope";
  if (!text && !like) return view.replaceChildren(nothingAsked());
  const wanted = query(params);
  const called = new URLSearchParams({ q: text, sort: "title", limit: String(MOST_NAMED) });
  const [first, { videos: named }, { videos }, speakers, faces, sample] = await Promise.all([
    get(`${wanted}&limit=${PAGE}`, { signal }),
    text ? get(`/videos?${called}`, { signal }) : { videos: [] },
    get("/videos?sort=title&limit=500", { signal }), speakerNames(), faceNames(),
    like ? storyOf(like, signal) : null]);
  const title = like ? `More like “${sample.title}”` : `“${text}”`;
  const bar = filterBar(params, videos, speakers, faces);
  if (!first.hits.length && !named.length) {
    const filtered = FILTERS.some((name) => params.has(name));
    view.replaceChildren(...(filtered ? [bar] : []), empty(
      like ? "No similar stories" : `No results for “${text}”`,
      filtered ? "Try without filters." : "Try fewer or different words: what is said, what it "
        + "is about, or what can be seen.",
      filtered ? link(`/search?${new URLSearchParams(like ? { like } : { q: text })}`,
        "Remove filters", { class: "button main" }) : null,
      link("/", "Back to the library", { class: "button" })));
    return;
  }
  const grid = make("div", { class: "grid hits" }, ...cards(first.hits, text));
  const count = make("p", { class: "soft", role: "status" });
  const more = button("Show more", next, { class: "wide-button" });
  let shown = first.hits.length;
  tell(first.more);
  view.replaceChildren(make("div", { class: like ? "head with-sample" : "head" },
    like ? make("img", { class: "sample", alt: "", src: sample.picture }) : null,
    make("div", {}, make("h1", {}, title), count)), bar, ...videoRow(named), grid,
  make("div", { class: "tools middle" }, more));
  arrows(grid);

  async function next() {
    try {
      const page = await get(`${wanted}&limit=${PAGE}&offset=${shown}`, { signal });
      grid.append(...cards(page.hits, text));
      shown += page.hits.length;
      tell(page.more);
    } catch (error) { if (!wasAborted(error)) toast(error.message); }
  }

  function tell(hasMore) {
    count.textContent = hasMore ? `First ${stories(shown)}` : stories(shown);
    more.hidden = !hasMore;
  }
}

// Searches by an image that was dropped or chosen.
export async function showImageSearch({ view, signal, image }) {
  document.title = "Search by image – Storyscope";
  const form = new FormData();
  form.append("file", image);
  const answer = await ask("/search/image", { method: "POST", body: form, signal });
  const { hits } = await answer.json();
  const sample = make("img", { class: "sample", alt: "Your image",
    src: URL.createObjectURL(image) });
  const head = make("div", { class: "head with-sample" }, sample,
    make("div", {}, make("h1", {}, "Search by image"), make("p", { class: "soft" },
      hits.length ? stories(hits.length) : "Nothing in the library looks like this image.")));
  const grid = make("div", { class: "grid hits" },
    ...cards(hits, ""));
  view.replaceChildren(head, grid);
  arrows(grid);
}

function query(params) {
  const like = params.get("like");
  const asked = new URLSearchParams(BOUNDS[params.get("length")] ?? {});
  for (const name of ["video", "language", "kind", "speaker", "face", "sort"]) {
    if (params.get(name)) asked.set(name, params.get(name));
  }
  if (like) {
    const [video, number] = numbered(like);
    return `${videoPath(video)}/stories/${number}/similar?${asked}`;
  }
  asked.set("q", params.get("q").trim());
  return `/search?${asked}`;
}

// Splits a story id: "film/2" is the second story of the video "film".
const numbered = (id) => [id.slice(0, id.lastIndexOf("/")), id.split("/").at(-1)];

// The title and picture of the story to which similar ones are searched.
async function storyOf(id, signal) {
  const [video, number] = numbered(id);
  const { stories: all } = await get(`${videoPath(video)}/stories`, { signal });
  const { title = id, thumbnail = 0 } = all[Number(number) - 1] ?? {};
  return { title, picture: picture(video, thumbnail) };
}

const cards = (hits, words) => hits.map((hit) => hitCard(hit, {
  name: hit.video_title === hit.video ? readable(hit.video) : hit.video_title, words,
}));

function filterBar(params, videos, speakers, faces) {
  const choice = (name, label, options) => {
    const select = make("select", { "aria-label": label, onchange: () => {
      const next = new URLSearchParams(params);
      if (select.value) next.set(name, select.value);
      else next.delete(name);
      go(`/search?${next}`, { replace: true });
    } }, ...Object.entries(options).map(([value, words]) => make("option", { value }, words)));
    select.value = params.get(name) ?? "";
    select.classList.toggle("set", select.value !== "");
    return select;
  };
  const person = (name, label, any, names) => (names.length ? [choice(name, label, { "": any,
    ...Object.fromEntries(names.map((each) => [each, each])) })] : []);
  const all = { "": "All videos" };
  videos.forEach((video) => { all[video.id] = nameOf(video); });
  // Similar stories are searched in all videos, by topic and picture, so these do not apply.
  const byWords = params.has("like") ? []
    : [choice("video", "Video", all), choice("kind", "Found by", KINDS)];
  return make("div", { class: "filters", role: "group", "aria-label": "Filters" }, ...byWords,
    choice("length", "Length", LENGTHS), choice("language", "Language", LANGUAGES),
    ...person("speaker", "Speaker", "Any speaker", speakers),
    ...person("face", "Face", "Any face", faces),
    choice("sort", "Sort by", SORTS));
}

const videoRow = (named) => (named.length ? [make("div", { class: "tools named" },
  make("span", { class: "small soft" }, "Videos:"), ...named.map((video) =>
    link(`/watch/${encodeURIComponent(video.id)}`, nameOf(video), { class: "button" })))] : []);

function nothingAsked() {
  return empty("What are you looking for?", "Type words above, or drop an image anywhere.",
    withIcon("search", "Start typing", () => document.getElementById("q").focus(),
      { class: "main" }), link("/", "Back to the library", { class: "button" }));
}

// Arrow keys move between results.
function arrows(grid) {
  grid.addEventListener("keydown", (event) => {
    const links = [...grid.querySelectorAll("a.hit-link")];
    const here = links.indexOf(document.activeElement);
    const columns = getComputedStyle(grid).gridTemplateColumns.split(" ").length;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (here < 0 || !step) return;
    event.preventDefault();
    links[here + step]?.focus();
  });
}
