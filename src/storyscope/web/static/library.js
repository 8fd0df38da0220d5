// The library view: a card per video, running jobs, and ways to add videos.
import { get, send, wasAborted } from "./api.js";
import { removeVideos, videoCard } from "./card.js";
import { button, make, plural, toast, withIcon } from "./dom.js";
import { ACTIVE, isBusy, jobList, upload } from "./jobs.js";
import { openFolders } from "./folders.js";
import { firstRun } from "./first_run.js";
import { prefer, preference } from "./person.js";

const PAGE = 500;
const SORTS = { title: "By title", recent: "Newest first", longest: "Longest first",
  stories: "Most stories first" };

export async function showLibrary({ view, signal }) {
  document.title = "Library – Storyscope";
  let videos = [];
  let [total, whole, asked, turn] = [0, 0, "", 0];
  let loaded = false;
  let jobs = [];
  let drawn = "";
  const picked = new Set();
  const states = new Map();
  const grid = make("div", { class: "grid" });
  const count = make("p", { class: "soft", role: "status" });
  const sort = make("select", { "aria-label": "Sort by", onchange: () => {
    prefer("sort", sort.value);
    refresh();
  } }, ...Object.entries(SORTS).map(([value, words]) => make("option", { value }, words)));
  sort.value = preference("sort", "title");
  const filter = make("input", { type: "search", class: "filter", placeholder: "Filter by title",
    "aria-label": "Filter by title", oninput: () => refresh() });
  const several = make("div", { class: "several", hidden: true });
  const file = make("input", { type: "file", accept: "video/*,.mkv,.avi,.ts,.mxf", class: "hidden",
    id: "file", "aria-label": "Video files to upload", tabindex: -1, multiple: true,
    onchange: () => { [...file.files].forEach(upload); file.value = ""; } });
  const bringing = [
    withIcon("folder", "Add from folder", () => openFolders()),
    withIcon("upload", "Upload", () => file.click(), { class: "main" }),
  ];
  const list = jobList(signal, follow);
  const tools = make("div", { class: "tools" }, filter, sort, ...bringing, file);
  view.replaceChildren(make("div", { class: "head" },
    make("div", {}, make("h1", {}, "Library"), count), tools), list, grid, several);
  grid.replaceChildren(...Array.from({ length: 4 }, ghost));
  dropZone(view, signal);
  await refresh();

  // The server sorts and filters, so that both apply to the whole library, not only to this page.
  async function refresh() {
    const mine = ++turn;
    const wanted = new URLSearchParams({ sort: sort.value, q: filter.value.trim() });
    try {
      let found = [];
      do {
        const place = `offset=${found.length}&limit=${PAGE}`;
        const page = await get(`/videos?${place}&${wanted}`, { signal });
        if (mine !== turn) return;
        found = [...found, ...page.videos];
        [videos, total, asked] = [found, page.total, wanted.get("q")];
        if (!asked) whole = total;
        loaded = true;
        draw();
        if (!page.videos.length) break;
      } while (found.length < total);
    } catch (error) {
      if (wasAborted(error) || mine !== turn) return;
      if (!loaded) throw error;
      toast(error.message);
    }
  }

  function follow(now) {
    jobs = now;
    const moved = jobs.some((job) => states.get(job.id) !== job.state);
    for (const job of jobs) states.set(job.id, job.state);
    if (moved && loaded) refresh();
    else if (loaded) draw();
  }

  function draw() {
    const key = JSON.stringify([videos, total, asked, [...picked], isBusy(),
      jobs.map((job) => [job.id, job.state])]);
    if (key === drawn) return;
    drawn = key;
    count.textContent = asked ? `${total} of ${plural(whole, "video")}`
      : total ? plural(total, "video") : "";
    const none = !total && !asked;
    filter.hidden = sort.hidden = none;
    tools.classList.toggle("first", none);
    if (none) grid.replaceChildren(...(isBusy() ? [] : [firstRun(() => file.click())]));
    else if (!total) {
      grid.replaceChildren(make("p", { class: "soft wide" }, `No video matches “${asked}”.`));
    } else grid.replaceChildren(...videos.map(card));
    drawSeveral();
  }

  function card(video) {
    const job = jobs.find((each) => each.video === video.id && ACTIVE.includes(each.state)
      || each.name === video.file?.path && ACTIVE.includes(each.state));
    return videoCard(video, {
      job, refresh, twin: video.same_as, selected: picked.has(video.id),
      select: (on) => { picked[on ? "add" : "delete"](video.id); draw(); },
    });
  }

  function drawSeveral() {
    const chosen = videos.filter(({ id }) => picked.has(id));
    several.hidden = !chosen.length;
    if (!chosen.length) return;
    several.replaceChildren(make("b", {}, `${plural(chosen.length, "video")} selected`),
      button("Index again", () => again(chosen)),
      button("Delete…", async () => {
        if (await removeVideos(chosen, refresh)) picked.clear();
      }, { class: "danger" }),
      button("Clear selection", () => { picked.clear(); draw(); }));
  }

  async function again(chosen) {
    for (const { id } of chosen) {
      await send("POST", `/videos/${encodeURIComponent(id)}/index`)
        .catch((error) => toast(error.message));
    }
    picked.clear();
    toast(`${plural(chosen.length, "video")} queued`);
    draw();
  }
}

const ghost = () => make("div", { class: "card ghost", "aria-hidden": "true" },
  make("div", { class: "shot" }), make("div", { class: "body" }));

function dropZone(view, signal) {
  const drop = (event) => {
    // Dropping an image anywhere starts a search by image.
    const [first] = event.dataTransfer?.items ?? [];
    if (first?.kind !== "file" || first.type.startsWith("image/")) return;
    event.preventDefault();
    view.classList.toggle("dropping", event.type === "dragover");
    if (event.type === "drop") [...event.dataTransfer.files].forEach(upload);
  };
  for (const name of ["dragover", "dragleave", "drop"]) {
    view.addEventListener(name, drop, { signal });
  }
  signal.addEventListener("abort", () => view.classList.remove("dropping"));
}
