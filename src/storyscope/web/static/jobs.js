// Uploads and indexing jobs. They continue while other views are open.
import { api, onEvents, send, sentence } from "./api.js";
import { button, iconButton, make, remaining, toast } from "./dom.js";

export const ACTIVE = ["waiting", "indexing"];

const uploads = new Map();
const began = new Map();
let number = 0;
let jobs = [];
const listeners = new Set();
const changed = () => { for (const listener of listeners) listener(); };

export const activeJobs = () => jobs.filter((job) => ACTIVE.includes(job.state));
export const isBusy = () => uploads.size > 0 || activeJobs().length > 0;

onEvents((facts) => {
  const before = new Map(jobs.map((job) => [job.id, job.state]));
  jobs = facts.jobs;
  jobs.forEach((job) => {
    if (job.state === "indexing" && !began.has(job.id)) {
      began.set(job.id, { at: Date.now(), done: job.total ?? 0 });
    }
    if (job.state === "ready" && ACTIVE.includes(before.get(job.id))) {
      toast(`${job.name} is ready`);
    }
  });
  changed();
});

// A list of uploads and jobs that updates itself until the view is closed.
export function jobList(signal, onchange) {
  const list = make("div", { class: "jobs", role: "group", "aria-label": "In progress" });
  const rows = new Map();
  const draw = () => {
    const shown = [...uploads.values(), ...jobs.filter((job) => job.state !== "ready")];
    const kept = shown.map((job) => {
      const key = `${job.id} ${job.state}`;
      if (!rows.has(key)) rows.set(key, build(job));
      const row = rows.get(key);
      fill(row, job);
      return row;
    });
    // Rows are updated in place: a button that is rebuilt under the pointer misses the click.
    const same = kept.length === list.children.length
      && kept.every((row, n) => list.children[n] === row);
    if (!same) list.replaceChildren(...kept);
    onchange(jobs);
  };
  listeners.add(draw);
  signal.addEventListener("abort", () => listeners.delete(draw));
  draw();
  return list;
}

function build(job) {
  const act = (method, path) => send(method, path).catch((error) => toast(error.message));
  const working = ACTIVE.includes(job.state) || job.state === "sending";
  const stop = () => (job.request ? cancelUpload(job) : act("DELETE", `/jobs/${job.id}`));
  const row = make("div", { class: `job ${job.state}` },
    make("div", { class: "job-words" }, make("b", {}, job.name),
      make("span", { class: "stage-name small soft" })),
    make("span", { class: "job-percent small" }),
    make("div", { class: "job-tools" },
      working ? button("Cancel", stop)
        : [job.path || job.request === undefined ? button(job.state === "failed" ? "Try again"
          : "Resume", () => act("POST", `/jobs/${job.id}/resume`)) : null,
        iconButton("close", `Dismiss ${job.name}`, stop)].flat()),
    working ? make("progress", { max: 1, "aria-label": job.name }) : null);
  return row;
}

function fill(row, job) {
  const words = { failed: sentence(job.failure), waiting: "Waiting", cancelled: "Cancelled",
    sending: job.fraction < 1 ? "Uploading" : "Checking the file" };
  const name = row.querySelector(".stage-name");
  name.textContent = words[job.state] ?? job.label;
  name.classList.toggle("warn", job.state === "failed");
  const done = job.state === "sending" ? job.fraction : job.total ?? 0;
  const bar = row.querySelector("progress");
  if (!bar) return;
  if (job.state === "waiting") bar.removeAttribute("value");
  else bar.value = done;
  const left = timeLeft(job.state === "sending" ? job.first : began.get(job.id), done);
  row.querySelector(".job-percent").textContent = job.state === "waiting" ? ""
    : `${Math.round(100 * done)}%${left ? ` · ${left}` : ""}`;
}

// Estimates the time left from the progress since the page first saw the job, which may have
// been half done by then.
export function timeLeft(first, done) {
  const seconds = (Date.now() - (first?.at ?? Date.now())) / 1000;
  const part = done - (first?.done ?? 0);
  return part > 0.03 && seconds > 3 ? remaining((seconds * (1 - done)) / part) : "";
}

// Uploads a file with XMLHttpRequest, because `fetch` does not report upload progress.
export function upload(file) {
  const request = new XMLHttpRequest();
  const job = { id: `upload-${++number}`, name: file.name, state: "sending", fraction: 0, request,
    first: { at: Date.now(), done: 0 }, unwanted: false };
  uploads.set(job.id, job);
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) job.fraction = event.loaded / event.total;
    changed();
  });
  request.addEventListener("load", () => {
    if (request.status === 202) {
      uploads.delete(job.id);
      if (job.unwanted) JSON.parse(request.responseText).jobs.forEach(stopJob);
    } else fail(job, errorOf(request));
    changed();
  });
  request.addEventListener("error", () => fail(job, "The connection was lost during the upload."));
  request.open("POST", api("/uploads"));
  request.setRequestHeader("X-Storyscope", "1");
  const form = new FormData();
  form.append("file", file);
  request.send(form);
  changed();
}

function errorOf(request) {
  try {
    const { detail } = JSON.parse(request.responseText);
    if (typeof detail === "string") return detail;
  } catch { /* not JSON, so not from our server: report the status */ }
  return `The server responded with error ${request.status}.`;
}

function fail(job, reason) {
  Object.assign(job, { state: "failed", failure: reason });
  changed();
}

const stopJob = (id) => send("DELETE", `/jobs/${id}`).catch((error) => toast(error.message));

// Once a file was sent completely, its job can only be cancelled when the server has answered.
function cancelUpload(job) {
  if (job.fraction < 1 || job.state === "failed") job.request.abort();
  else job.unwanted = true;
  uploads.delete(job.id);
  changed();
}

addEventListener("beforeunload", (event) => {
  if ([...uploads.values()].some(({ state }) => state === "sending")) event.preventDefault();
});
