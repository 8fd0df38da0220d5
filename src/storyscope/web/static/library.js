// The library: a card a video, and those on their way in.
import { api, clock, get, make, picture, send, tell } from "./dom.js";

const STAGES = { scan: "watching the film", transcript: "reading the words", vision: "looking at keyframes", stories: "finding the stories", titles: "naming the stories", passages: "filing for search" };

export async function showLibrary(view) {
  document.title = "Storyscope";
  const grid = make("div", { class: "grid" });
  const jobs = make("div", { class: "jobs" });
  const count = make("p", { class: "soft" });
  const asking = folderDialog();
  const file = make("input", { type: "file", accept: "video/*", class: "hidden", id: "file", "aria-label": "Video files to upload", tabindex: -1, multiple: true, onchange: () => upload([...file.files]) });
  view.replaceChildren(
    make("div", { class: "head" },
      make("div", {}, make("h1", {}, "Library"), count),
      make("div", { class: "tools" },
        make("button", { type: "button", onclick: () => asking.showModal() }, "Add from folder…"),
        make("button", { type: "button", class: "main", onclick: () => file.click() }, "Upload video"), file)),
    asking, jobs, grid);
  grid.replaceChildren(...Array.from({ length: 4 }, () => make("div", { class: "card ghost", "aria-hidden": "true" }, make("div", { class: "shot" }), make("div", { class: "body" }))));
  await refresh();

  async function refresh() {
    const { videos, total } = await get("/videos?limit=500");
    count.textContent = total === 1 ? "1 video" : `${total} videos`;
    const cards = await Promise.all(videos.map(card));
    if (cards.length) grid.replaceChildren(...cards);
    else grid.replaceChildren(make("div", { class: "empty wide" }, make("h2", {}, "No films yet"), make("p", {}, "Upload one, or run ", make("code", {}, "storyscope add film.mp4"), ".")));
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

function folderDialog() {
  const path = make("input", { name: "path", required: true, maxlength: 4096, autocomplete: "off", placeholder: "/films/planet.mp4", "aria-describedby": "path-help" });
  const wrong = make("p", { class: "warn small", role: "alert" });
  const dialog = make("dialog", { "aria-labelledby": "path-title" },
    make("form", { method: "dialog", onsubmit: add },
      make("h2", { id: "path-title" }, "Add a video or a folder"),
      make("label", {}, "Path on the machine that serves this page", path),
      make("p", { class: "soft small", id: "path-help" }, "It must lie in a folder given to ", make("code", {}, "storyscope serve --media"), "."),
      wrong,
      make("div", { class: "tools" }, make("button", { class: "main" }, "Add"), make("button", { type: "button", onclick: () => dialog.close() }, "Cancel"))));

  async function add(event) {
    event.preventDefault();
    wrong.textContent = "";
    try {
      const { jobs } = await send("POST", "/videos", { path: path.value.trim() });
      tell(`${jobs.length} ${jobs.length === 1 ? "video" : "videos"} queued`);
      dialog.close();
    } catch (error) {
      wrong.textContent = error.message;
    }
  }
  return dialog;
}

async function upload(files) {
  for (const file of files) {
    tell(`Sending ${file.name}…`);
    const form = new FormData();
    form.append("file", file);
    await get("/uploads", { method: "POST", body: form });
  }
}
