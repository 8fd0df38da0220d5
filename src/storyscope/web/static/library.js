// The library: a card a video, and those on their way in.
import { api, clock, get, make, picture, send, tell } from "./dom.js";

const STAGES = { scan: "watching the film", transcript: "reading the words", vision: "looking at keyframes", stories: "finding the stories", titles: "naming the stories", passages: "filing for search" };

export async function showLibrary(view) {
  document.title = "Storyscope";
  const grid = make("div", { class: "grid" });
  const jobs = make("div", { class: "jobs" });
  const count = make("p", { class: "soft" });
  const file = make("input", { type: "file", accept: "video/*", class: "hidden", id: "file", multiple: true, onchange: () => upload([...file.files]) });
  view.replaceChildren(
    make("div", { class: "head" },
      make("div", {}, make("h1", {}, "Library"), count),
      make("div", { class: "tools" },
        make("button", { type: "button", onclick: addFolder }, "Add from folder…"),
        make("button", { type: "button", class: "main", onclick: () => file.click() }, "Upload video"), file)),
    jobs, grid);
  await refresh();

  async function refresh() {
    const { videos, total } = await get("/videos?limit=500");
    count.textContent = total === 1 ? "1 video" : `${total} videos`;
    const cards = await Promise.all(videos.map(card));
    if (cards.length) grid.replaceChildren(...cards);
    else grid.replaceChildren(make("div", { class: "empty", style: "grid-column: 1 / -1" }, make("b", {}, "No films yet"), "Upload one, or run ", make("code", {}, "storyscope add film.mp4"), "."));
  }

  const seen = new Map();
  const source = new EventSource(api("/events"));
  source.onmessage = (event) => {
    const active = JSON.parse(event.data).jobs;
    jobs.replaceChildren(...active.filter((job) => job.state !== "ready").map(row));
    if (active.some((job) => job.state === "ready" && seen.get(job.id) !== "ready")) refresh();
    active.forEach((job) => seen.set(job.id, job.state));
  };
  return () => source.close();
}

async function card(video) {
  const ready = video.state === "ready";
  const shot = make("div", { class: "shot" });
  if (ready) shot.append(make("img", { src: picture(video.id, video.duration / 3), alt: "", loading: "lazy" }));
  shot.append(make("span", { class: "time" }, clock(video.duration)));
  const words = ready ? `${video.stories} ${video.stories === 1 ? "story" : "stories"}` : video.state === "failed" ? video.failure : "being indexed";
  const body = make("div", { class: "body" }, make("b", {}, video.id), make("span", { class: video.state === "failed" ? "small warn" : "small soft" }, words));
  return ready ? make("a", { class: "card", href: `/watch/${video.id}`, "data-link": true }, shot, body) : make("div", { class: "card" }, shot, body);
}

function row(job) {
  const active = job.state === "indexing" || job.state === "waiting";
  const words = job.state === "failed" ? job.failure : job.state === "indexing" ? STAGES[job.stage] ?? job.stage.replace("_", " ") : job.state;
  return make("div", { class: "job" },
    make("span", {}, make("b", {}, job.name), " ", make("span", { class: job.state === "failed" ? "warn small" : "soft small" }, words)),
    active ? make("button", { type: "button", onclick: () => send("DELETE", `/jobs/${job.id}`) }, "Cancel")
      : make("button", { type: "button", onclick: () => send("POST", "/videos", { path: job.path }).catch((e) => tell(e.message)) }, "Resume"),
    active ? make("progress", { max: 1, value: job.fraction, "aria-label": `${job.name}: ${words}` }) : null);
}

async function addFolder() {
  const path = prompt("Path of a video or folder on the machine that serves this page");
  if (!path) return;
  const { jobs } = await send("POST", "/videos", { path });
  tell(`${jobs.length} ${jobs.length === 1 ? "video" : "videos"} queued`);
}

async function upload(files) {
  for (const file of files) {
    tell(`Sending ${file.name}…`);
    const form = new FormData();
    form.append("file", file);
    await get("/uploads", { method: "POST", body: form });
  }
}
