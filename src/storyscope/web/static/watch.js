// The watch view: player, stories and transcript, with the modes Edit and Compare.
import { get } from "./api.js";
import { comparePanel } from "./compare.js";
import { clock, make, nameOf, stories, toast } from "./dom.js";
import { deleteVersion, storyEditor } from "./editor.js";
import { draftOf, myName, watchedTo } from "./person.js";
import { storyPlayer } from "./player.js";
import { go, rewrite, show } from "./router.js";
import { shortcuts } from "./keys.js";
import { shotStrip } from "./shots.js";
import { faceRows, speakerRows } from "./people.js";
import { WatchState } from "./state.js";
import { storyList } from "./storylist.js";
import { tabbed } from "./tabs.js";
import { transcriptPanel } from "./transcript.js";
import { emptyTranscript } from "./subtitles.js";
import { versionPicker } from "./versions.js";
import { draftNotice, headActions, skipTo, warnings } from "./watch_head.js";
import { reasonBars, reasonFor, reasonLine } from "./why.js";

// The open tab, remembered while the same video is shown.
const panel = { video: "", tab: "stories" };

export async function showWatch({ view, name: id, params, signal }) {
  const state = new WatchState({ id, params, signal });
  await state.load();
  state.name = nameOf(state.facts.video);
  state.frameRate = state.video.file?.fps ?? 25;
  document.title = `${state.name} – Storyscope`;
  const asked = params.has("t") ? Number(params.get("t")) || 0 : null;
  const start = Math.min(asked ?? (params.has("edit") ? 0 : watchedTo(id)), state.duration);
  let [reasons, explained, asking] = [null, undefined, 0];
  let [shown, writtenAt] = [-1, start];

  const first = state.stories().findLast((story) => story.start <= start + 0.02);
  const poster = start > 0.5 && start !== first.start ? start : first.picture;
  const player = storyPlayer({ state, start, poster, signal, ontime: () => follow() });
  const list = storyList({ state, player, change: (version) => editor.change(version) });
  const spoken = transcriptPanel({ words: state.transcript.words, query: state.words,
    speakers: state.video.speakers, seek: player.seek, whenEmpty: emptyTranscript(state) });
  state.matchTimes = spoken.times();
  const editor = storyEditor({ state, player, why: explain, done: () => setMode("watch"),
    saved: () => compare.forget() });
  const compare = comparePanel({ state, player, accept, save: () => editor.save() });
  const strip = shotStrip({ state, player, change: (version) => editor.change(version) });
  const speakers = speakerRows({ state, player, changed: () => spoken.draw() });
  const faces = faceRows({ state, player });
  const picker = versionPicker({ state, remove: removeVersion });
  const heading = make("p", { class: "soft heading" });
  const story = make("h2", { class: "story-title" });
  const when = make("p", { class: "soft small when" });
  const why = make("details", { class: "why" }, make("summary", { title: "Key: w" }), make("div"));
  const below = make("div", { class: "below" });
  const notice = make("div");
  const before = panel.video === id ? panel.tab : "stories";
  const side = tabbed("Panel", [
    { id: "stories", title: "Stories", body: list.element },
    { id: "transcript", title: "Transcript", body: spoken.element },
  ], { onchoose: (tab) => Object.assign(panel, { video: id, tab }) });
  side.choose(before);
  const actions = headActions({ state, player, setMode });
  const about = [make("div", { class: "about" }, story, when, why), strip.element];

  const toEditing = skipTo("Skip to editing", editor.focus);
  const root = make("div", { class: "watch" },
    make("div", { class: "main-column" }, player.element,
      make("div", { class: "title-row" },
        make("div", {}, make("h1", {}, state.name), heading), actions.element),
      ...warnings(state), notice, below),
    make("aside", { class: "side", "aria-label": "Stories and transcript" },
      picker.element, side.bar, ...side.panels));
  view.replaceChildren(skipTo("Skip to stories", () => side.focus()), toEditing, root);

  learnReasons();
  player.mark(state.matchTimes);
  state.listen(draw);
  shortcuts({ player, editor, state, signal, why: toggleWhy,
    edit: () => setMode(state.mode === "edit" ? "watch" : "edit"),
    name: () => { side.choose("stories"); list.name(player.current()); } });
  draw();

  function draw() {
    const { mode } = state;
    root.dataset.mode = mode;
    toEditing.hidden = mode !== "edit";
    heading.textContent = `${state.label} · ${stories(state.now.starts.length)} · `
      + `${clock(state.duration)}`;
    side.head("stories").textContent = `Stories ${state.now.starts.length}`;
    if (below.dataset.mode !== mode) {
      below.dataset.mode = mode;
      below.replaceChildren(...(mode === "edit" ? [editor.element, ...about]
        : mode === "compare" ? [compare.element] : [...about, speakers.element, faces.element]));
    }
    clearTimeout(asking);
    asking = setTimeout(learnReasons, 150);
    picker.draw();
    actions.draw();
    player.draw();
    list.draw();
    if (mode === "compare") compare.draw();
    if (mode === "edit") editor.draw();
    notice.replaceChildren(...draftNotice(state, draftOf(id), continueDraft));
    shown = -1;
    follow();
    if (!state.sketched) rewrite(state.address(player.time()), signal);
  }

  function follow() {
    const at = player.time();
    const place = player.current();
    spoken.follow(at);
    if (state.mode === "edit") editor.follow(at);
    if (place !== shown) describe(place);
    if (Math.abs(at - writtenAt) <= 2) return;
    writtenAt = at;
    rewrite(state.address(at), signal);
  }

  function describe(place) {
    shown = place;
    const all = state.stories();
    const now = all[place];
    list.mark(place);
    story.textContent = now.title;
    when.textContent = `Story ${place + 1} of ${all.length} · ${clock(now.start)} – `
      + `${clock(now.end)}${now.keywords.length ? ` · ${now.keywords.join(", ")}` : ""}`;
    strip.draw(place);
    const reason = place && reasons ? reasonFor(reasons, now.start) : null;
    why.hidden = !reason;
    if (!reason) return;
    const line = reasons.level !== state.source.granularity ? "…"
      : reasonLine(reason, state.originOf(now.start));
    why.firstChild.replaceChildren(make("b", {}, "Why here? "), line);
    why.lastChild.replaceChildren(...(reason.other ? [] : [reasonBars(reason)]));
  }

  function learnReasons() {
    const level = state.source.granularity;
    if (level === explained || signal.aborted) return;
    explained = level;
    get(`${state.path}/explanation${level === null ? "" : `?granularity=${level}`}`, { signal })
      .then((facts) => {
        if (level !== explained) return;
        reasons = { ...facts, level };
        describe(player.current());
      })
      .catch(() => {});
  }

  function explain(seconds) {
    const reason = reasons && reasonFor(reasons, seconds);
    return reason ? reasonLine(reason, state.originOf(seconds)) : "";
  }

  function toggleWhy() {
    if (!player.current()) toast("The first story starts with the video.");
    else why.open = !why.open;
  }

  function setMode(mode) {
    if (mode === "edit") state.edit();
    else {
      const left = state.dirty;
      state.leaveEditing();
      state.mode = mode;
      if (left) toast("Draft kept. Edit again to continue.");
    }
    state.changed();
  }

  async function continueDraft() {
    const kept = draftOf(id);
    if (kept) await state.choose(kept.source);
    setMode("edit");
  }

  // Copying a boundary from another version is an ordinary edit.
  function accept(correct) {
    if (!state.draft) state.edit();
    state.mode = "compare";
    editor.change(correct(state.now), "Boundary changed in your draft");
  }

  async function removeVersion(name) {
    if (!await deleteVersion(state, name, name === myName())) return;
    if (state.source.annotator === name) go(`/watch/${encodeURIComponent(id)}`, { replace: true });
    else show();
  }
}
