// Shown for a video without a transcript: upload a subtitle file, or transcribe the speech.
import { ask, get, onEvents, send, sentence } from "./api.js";
import { button, make, toast, withIcon } from "./dom.js";
import { ACTIVE } from "./jobs.js";
import { show } from "./router.js";

export function emptyTranscript(state) {
  const file = make("input", { type: "file", accept: ".srt,.vtt,.ass,.ttml,.txt,.json",
    tabindex: -1, class: "hidden", "aria-label": "Subtitle file",
    onchange: () => bring(file.files[0]) });
  const words = make("p", { class: "soft small", role: "status" });
  const transcribe = button("Transcribe speech", () => run(
    send("POST", `${state.path}/transcription`)));

  async function bring(chosen) {
    if (!chosen) return;
    const form = new FormData();
    form.append("file", chosen);
    const sent = ask(`${state.path}/transcript`, { method: "PUT", body: form });
    await run(sent.then((answer) => answer.json()));
  }

  // Follows the job on the server, and shows the transcript when it is done.
  async function run(asked) {
    let ended = false;
    try {
      const { jobs } = await asked;
      words.textContent = "Working on it…";
      onEvents(({ jobs: all }) => {
        const job = all.find(({ id }) => id === jobs[0]);
        if (!job) return;
        if (job.state === "ready" && !ended) {
          ended = true;
          done();
        }
        if (job.state === "failed") words.textContent = sentence(job.failure);
        if (!ACTIVE.includes(job.state)) return;
        if (job.state === "waiting") {
          words.textContent = "Waiting until other videos are indexed…";
          return;
        }
        const stage = `${job.label[0].toLowerCase()}${job.label.slice(1)}`;
        words.textContent = `Working on it: ${stage}, ${Math.round(100 * (job.total ?? 0))}%`;
      }, state.signal);
    } catch (error) { toast(error.message); }
  }

  async function done() {
    const found = await get(`${state.path}/transcript`, { signal: state.signal });
    if (found.words.length) show();
    else words.textContent = "No speech was found in this video.";
  }

  return make("div", { class: "empty small-empty" }, make("h3", {}, "No transcript yet"),
    make("p", { class: "soft small" },
      "Add a subtitle file, or have the speech transcribed on the server."),
    make("div", { class: "tools middle" },
      withIcon("upload", "Add subtitles", () => file.click()), transcribe, file), words);
}
