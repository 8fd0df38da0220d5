// Learning from corrections: the corrected videos, a preview of what changes, and adopting it.
import { get, onEvents, send, sentence, wasAborted } from "./api.js";
import { button, clock, link, make, nameOf, plural, toast } from "./dom.js";
import { myName } from "./person.js";

export async function showLearn({ view, signal }) {
  document.title = "Learn – Storyscope";
  const [facts, { videos }] = await Promise.all([
    get("/learning", { signal }), get("/videos?limit=500", { signal })]);
  const names = new Map(videos.map((video) => [video.id, nameOf(video)]));
  const body = make("div", { "aria-live": "polite" });
  const everyone = make("input", { type: "checkbox", checked: true });
  const whose = make("label", { class: "small" }, everyone, "Learn from everyone, not only me");
  let last = "";
  let awaited = null;
  view.replaceChildren(make("div", { class: "page" }, make("h1", {}, "Learn from corrections"),
    make("p", { class: "soft" }, "Storyscope can learn from saved versions where you would start a "
      + "story. To check it, each corrected video in turn is left out of learning."),
    body));
  show(facts);
  onEvents(({ learning, jobs }) => {
    if (learning.state !== "idle") show({ ...facts, ...learning });
    const ended = (id) => jobs.some((job) => job.id === id
      && !["waiting", "indexing"].includes(job.state));
    if (awaited?.every(ended)) {
      awaited = null;
      toast("Stories of all videos have been updated.");
    }
  }, signal);

  const showError = (error) => { if (!wasAborted(error)) toast(error.message); };

  async function start() {
    try {
      const annotator = everyone.checked ? null : myName() || null;
      show({ ...facts, ...await send("POST", "/learning", { annotator }) });
    } catch (error) { showError(error); }
  }

  async function use(insist) {
    try {
      awaited = (await send("POST", "/learning/adoption", { insist })).jobs;
      toast("Now in use. Stories of all videos are being updated.");
    } catch (error) { showError(error); }
  }

  function show(now) {
    const same = JSON.stringify(now);
    if (same === last) return;
    last = same;
    body.replaceChildren(...panel(now));
  }

  function panel({ state, fraction, note, failure, found, corrected = [], needed = 1,
    missing = "" }) {
    if (state === "learning") {
      const words = note ? `Checking ${note}…` : "Learning…";
      return [make("div", { class: "panel" }, make("p", {}, words),
        make("div", { class: "running" },
          make("progress", { max: 1, value: fraction, "aria-label": "Learning" }),
          make("span", { class: "small" }, `${Math.round(100 * fraction)}%`),
          button("Cancel", () => send("DELETE", "/learning").then(show, showError))))];
    }
    const enough = corrected.length >= needed;
    const have = `${plural(corrected.length, "corrected video")}, ${needed} needed`;
    const begin = button(state === "idle" ? "Learn" : "Learn again", start,
      { class: found && state === "learned" ? "" : "main" });
    const words = { failed: sentence(failure), cancelled: "Cancelled. Nothing was changed.",
      used: "What was learned is now in use." }[state];
    return [
      make("div", { class: "panel" }, make("h2", {}, have),
        make("ul", { class: "plain" }, ...corrected.map(({ video, people }) => make("li", {},
          link(`/watch/${encodeURIComponent(video)}`, names.get(video) ?? video),
          make("span", { class: "small soft" }, ` by ${people.join(", ")}`)))),
        words ? make("p", { class: state === "failed" ? "warn" : "soft" }, words) : null,
        missing ? make("p", { class: "warn" }, `Learning cannot run: ${sentence(missing)}.`)
          : enough ? make("div", { class: "tools" }, begin, whose)
          : make("p", { class: "soft" }, "Learning cannot run yet. Open a video, choose Edit, "
            + "correct its stories and save.")),
      found && ["learned", "used"].includes(state) ? outcome(state, found) : null,
    ].filter(Boolean);
  }

  function outcome(state, found) {
    const { helped, gain, changes = [] } = found;
    const verdict = helped ? `Better by ${gain.toFixed(3)} on videos it had not seen.`
      : "No better on videos it had not seen, so it is not used.";
    return make("div", { class: "panel" }, make("h2", {}, "What would change"),
      changesList(changes), make("h3", {}, "How well it does"), scores(found),
      make("div", { class: "tools" }, make("span", {}, state === "used" ? "In use." : verdict),
        state === "used" ? null : button(helped ? "Use it" : "Use it anyway",
          () => use(!helped), { class: helped ? "main" : "" })));
  }

  function changesList(changes) {
    if (!changes.length) return make("p", { class: "soft" }, "No boundary would change.");
    return make("ul", { class: "plain" }, ...changes.map(({ video, added, removed }) =>
      make("li", {}, link(`/watch/${encodeURIComponent(video)}`, names.get(video) ?? video), " ",
        ...times("added", added, video, "+"), ...times("removed", removed, video, "−"))));
  }

  const times = (kind, all, video, sign) => all.slice(0, 12).map((seconds) =>
    link(`/watch/${encodeURIComponent(video)}?t=${seconds.toFixed(1)}`,
      `${sign} ${clock(seconds)}`, { class: `change ${kind}` }));
}

function scores({ before, after, uniform, minutes, videos }) {
  const rows = [["Before", before], ["After", after], ["Equal lengths", uniform]];
  const words = `Mean IoU on ${plural(videos.length, "left-out part")}, learned from `
    + `${minutes.toFixed(1)} minutes. 1 is perfect.`;
  return make("div", { class: "scores", role: "group", "aria-label": "Mean IoU on left-out parts" },
    make("p", { class: "small soft" }, words), ...rows.map(([name, value]) =>
      make("div", { class: "score" }, make("span", { class: "small" }, name),
        make("span", { class: "meter" }, make("i", { class: name === "After" ? "on" : "",
          style: { width: `${(100 * value).toFixed(1)}%` } })),
        make("b", { class: "small" }, value.toFixed(3)))));
}
