// Learning from corrections: progress, the held-out score before and after, and the choice to use it.
import { api, get, make, send, tell } from "./dom.js";

export function learnPanel({ name, onused }) {
  const body = make("div", { "aria-live": "polite" });
  const element = make("section", { class: "panel", "aria-label": "Learn from corrections" }, make("h2", {}, "Learn from corrections"), body);
  const everyone = make("input", { type: "checkbox" });
  const whose = make("label", { class: "small soft" }, everyone, "everyone's, not only mine");
  let source = null;
  let asked = false;
  let awaited = null;
  let last = "";
  get("/learning").then((facts) => { show(facts); if (facts.state === "learning") listen(); }).catch(() => {});

  function listen() {
    source ??= new EventSource(api("/events"));
    source.onmessage = (event) => {
      const { learning, jobs } = JSON.parse(event.data);
      show(learning);
      if (awaited && awaited.every((id) => jobs.some((job) => job.id === id && !["waiting", "indexing"].includes(job.state)))) {
        close();
        onused();
      } else if (!awaited && learning.state !== "learning") close();
    };
  }

  function close() { source?.close(); source = null; }

  async function start() {
    asked = true;
    try {
      show(await send("POST", "/learning", { annotator: everyone.checked ? null : name() || null }));
      listen();
    } catch (error) { tell(error.message); }
  }

  async function use(insist) {
    try {
      awaited = (await send("POST", "/learning/adoption", { insist })).jobs;
      tell("In use: the stories are being found anew.");
      listen();
    } catch (error) { tell(error.message); }
  }

  function show(facts) {
    const { state, fraction, note, failure, found } = facts;
    const same = JSON.stringify(facts);
    if (same === last) return;
    last = same;
    const begin = make("button", { type: "button", onclick: start }, state === "idle" ? "Learn from my corrections" : "Learn again");
    if (state === "learning") {
      body.replaceChildren(make("p", { class: "small soft" }, note ? `Trying ${note}…` : "Learning…"),
        make("div", { class: "running" }, make("progress", { max: 1, value: fraction, "aria-label": "Learning" }),
          make("button", { type: "button", onclick: async () => show(await send("DELETE", "/learning")) }, "Cancel")));
    } else if (found && (state === "learned" || (state === "used" && asked))) {
      body.replaceChildren(scores(found), verdict(state, found, begin));
    } else {
      const words = { failed: failure, cancelled: "Stopped; nothing was changed.", used: "What was learned is in use." }[state];
      body.replaceChildren(make("p", { class: state === "failed" ? "small warn" : "small soft" }, words ?? "Your saved versions teach the machine where you begin stories. Each corrected film is left out in turn and judged by what the others taught."), make("div", { class: "tools" }, begin, whose));
    }
  }

  function verdict(state, found, begin) {
    if (state === "used") return make("p", { class: "small soft" }, awaited ? "In use: the stories are being found anew." : "In use.");
    const words = found.helped ? `Better by ${found.gain.toFixed(3)} on films it was not shown.` : "No better on films it was not shown, so it is not used.";
    return make("div", { class: "tools" }, make("span", { class: "small" }, words),
      make("button", { type: "button", class: found.helped ? "main" : "", onclick: () => use(!found.helped) }, found.helped ? "Use it" : "Use it anyway"), begin, whose);
  }

  return { element, close };
}

function scores({ before, after, uniform, minutes, stories_per_minute: pace, videos }) {
  const rows = [["before", before], ["after", after], ["equal stories", uniform]];
  return make("div", { class: "scores", role: "group", "aria-label": "Mean IoU on films left out" },
    make("p", { class: "small soft" }, `Mean IoU on ${videos.length} films or halves left out; ${minutes.toFixed(1)} minutes taught${pace ? `, ${pace.toFixed(2)} stories a minute` : ""}.`),
    ...rows.map(([name, value]) => make("div", { class: "score" }, make("span", { class: "small" }, name),
      make("span", { class: "meter" }, make("span", { class: name === "after" ? "on" : "", style: `width:${(100 * value).toFixed(1)}%` })), make("b", { class: "small" }, value.toFixed(3)))));
}
