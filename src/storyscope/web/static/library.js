// The library: a card a video, and those on their way in.
import { api, clock, get, make, picture, send, tell } from "./dom.js";

const STAGES = { scan: "watching the film", transcript: "reading the words", screen: "reading the screen", vision: "looking at keyframes", looks: "encoding keyframes for search", mined: "finding what is spoken of", concepts: "grouping concepts", stories: "finding the stories", titles: "naming the stories", passages: "filing for search", ratings: "rating the pictures" };
const ACTIVE = ["waiting", "indexing"];

export async function showLibrary(view) {
  document.title = "Storyscope";
  const grid = make("div", { class: "grid" });
  const jobs = make("div", { class: "jobs", role: "group", "aria-label": "On their way in" });
  const sending = make("div", { class: "jobs", role: "group", "aria-label": "Being sent" });
  const count = make("p", { class: "soft" });
  const asking = folderDialog();
  const file = make("input", { type: "file", accept: "video/*,.mkv,.avi,.ts,.mxf", class: "hidden", id: "file", "aria-label": "Video files to upload", tabindex: -1, multiple: true, onchange: () => { [...file.files].forEach((each) => upload(each, sending)); file.value = ""; } });
  view.replaceChildren(
    make("div", { class: "head" },
      make("div", {}, make("h1", {}, "Library"), count),
      make("div", { class: "tools" },
        make("button", { type: "button", onclick: () => asking.showModal() }, "Add from folder…"),
        make("button", { type: "button", class: "main", onclick: () => file.click() }, "Upload video"), file)),
    asking, sending, jobs, grid);
  grid.replaceChildren(...Array.from({ length: 4 }, () => make("div", { class: "card ghost", "aria-hidden": "true" }, make("div", { class: "shot" }), make("div", { class: "body" }))));
  let active = [];
  await refresh();

  async function refresh() {
    const { videos, total } = await get("/videos?limit=500");
    count.textContent = total === 1 ? "1 video" : `${total} videos`;
    const cards = videos.map((video) => card(video, active.find((job) => job.path === video.path && ACTIVE.includes(job.state))));
    if (cards.length) grid.replaceChildren(...cards);
    else grid.replaceChildren(make("div", { class: "empty wide" }, make("h2", {}, "No films yet"), make("p", {}, "Upload one, drop it here, or run ", make("code", {}, "storyscope add film.mp4"), ".")));
  }

  const seen = new Map();
  const source = new EventSource(api("/events"));
  source.onmessage = (event) => {
    active = JSON.parse(event.data).jobs;
    lay(jobs, active.filter((job) => job.state !== "ready"));
    if (active.some((job) => seen.get(job.id) !== job.state)) refresh();
    active.forEach((job) => seen.set(job.id, job.state));
  };

  const drop = (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    view.classList.toggle("dropping", event.type === "dragover");
    if (event.type === "drop") [...event.dataTransfer.files].forEach((each) => upload(each, sending));
  };
  const drops = ["dragover", "dragleave", "drop"];
  drops.forEach((name) => view.addEventListener(name, drop));
  return () => { source.close(); drops.forEach((name) => view.removeEventListener(name, drop)); };
}

function card(video, job) {
  const ready = video.state === "ready";
  const shot = make("div", { class: "shot" });
  if (ready) shot.append(make("img", { src: picture(video.id, video.duration / 3), alt: "", loading: "lazy" }));
  shot.append(make("span", { class: "time" }, clock(video.duration)));
  const stopped = video.state === "failed" && !job;
  const words = ready ? `${video.stories} ${video.stories === 1 ? "story" : "stories"}` : stopped ? video.failure : "being indexed";
  const body = make("div", { class: "body" }, make("b", {}, video.id), make("span", { class: stopped ? "small warn" : "small soft" }, words));
  if (ready) return make("a", { class: "card", href: `/watch/${encodeURIComponent(video.id)}`, "data-link": true }, shot, body);
  if (stopped) body.append(make("button", { type: "button", class: "small", onclick: () => send("POST", `/videos/${encodeURIComponent(video.id)}/index`).catch((e) => tell(e.message)) }, "Try again"));
  return make("div", { class: "card" }, shot, body);
}

// Rows are changed where they stand: a button that is rebuilt under the pointer cannot be pressed.
function lay(list, jobs) {
  const rows = new Map([...list.children].map((row) => [row.dataset.job, row]));
  list.replaceChildren(...jobs.map((job) => {
    const key = `${job.id} ${job.state}`;
    const row = rows.get(key) ?? build(job, key);
    row.querySelector(".stage-name").textContent = job.state === "failed" ? job.failure : job.state === "indexing" ? STAGES[job.stage] ?? job.stage.replace("_", " ") : job.state;
    row.querySelector("progress")?.setAttribute("value", job.fraction);
    return row;
  }).filter((row) => row));
}

function build(job, key) {
  const working = ACTIVE.includes(job.state);
  const act = (method, path) => send(method, path).catch((e) => tell(e.message));
  return make("div", { class: "job", "data-job": key },
    make("span", {}, make("b", {}, job.name), " ", make("span", { class: `stage-name small ${job.state === "failed" ? "warn" : "soft"}` })),
    working ? make("button", { type: "button", onclick: () => act("DELETE", `/jobs/${job.id}`) }, "Cancel")
      : make("button", { type: "button", onclick: () => act("POST", `/jobs/${job.id}/resume`) }, job.state === "failed" ? "Try again" : "Resume"),
    working ? null : make("button", { type: "button", "aria-label": `Dismiss ${job.name}`, onclick: () => act("DELETE", `/jobs/${job.id}`) }, "Dismiss"),
    working ? make("progress", { max: 1, value: job.fraction, "aria-label": job.name }) : null);
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

// `fetch` does not say how much was sent.
function upload(file, list) {
  const request = new XMLHttpRequest();
  const sent = make("progress", { max: 1, value: 0, "aria-label": `Sending ${file.name}` });
  const words = make("span", { class: "soft small" }, "being sent");
  const stop = make("button", { type: "button", onclick: () => { request.abort(); row.remove(); } }, "Cancel");
  const row = make("div", { class: "job" }, make("span", {}, make("b", {}, file.name), " ", words), stop, sent);
  list.append(row);
  request.upload.addEventListener("progress", (event) => { if (event.lengthComputable) sent.value = event.loaded / event.total; });
  request.addEventListener("load", () => {
    if (request.status === 202) return row.remove();
    let told = {};
    try { told = JSON.parse(request.responseText); } catch { /* not ours: the status says it */ }
    fail(typeof told.detail === "string" ? told.detail : `The server answered ${request.status}`);
  });
  request.addEventListener("error", () => fail("The connection broke."));
  request.open("POST", api("/uploads"));
  const form = new FormData();
  form.append("file", file);
  request.send(form);

  function fail(reason) {
    words.textContent = reason;
    words.className = "warn small";
    sent.remove();
    stop.textContent = "Dismiss";
  }
}
