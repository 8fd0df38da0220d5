// Watching one video: player, strip of stories, transcript, filmstrip, and the person's own version.
import { api, clock, get, make, picture, send, tell } from "./dom.js";
import { History, merge, retitle, showBy, split } from "./edit.js";
import { compareRows } from "./compare.js";
import { learnPanel } from "./learn.js";
import { filmPlayer } from "./player.js";
import { spriteSheet } from "./sprites.js";
import { storyStrip } from "./strip.js";
import { transcriptPanel } from "./transcript.js";
import { reasonBars, reasonFor, reasonLine } from "./why.js";

export async function showWatch(view, id, address, again) {
  const path = `/videos/${encodeURIComponent(id)}`;
  const annotator = address.get("annotator");
  const finer = annotator ? null : address.get("granularity");
  const as = annotator ? `?annotator=${encodeURIComponent(annotator)}` : "";
  const [facts, { shots }, words] = await Promise.all([get(`${path}/stories${finer ? `?granularity=${encodeURIComponent(finer)}` : as}`), get(`${path}/shots`), get(`${path}/transcript`)]);
  document.title = `${id} – Storyscope`;
  const { duration } = facts.video;
  const start = Math.min(Number(address.get("t")) || 0, duration);
  const machine = annotator || finer ? null : facts.stories;
  const history = new History(versionOf(facts.stories));
  let [shown, shownAt] = [-1, start];
  let reasons = null;

  const strip = storyStrip({ duration, shots, now: () => history.now, change, seek: (seconds) => film.seek(seconds), show: spriteSheet(id, path), why: (seconds) => (reasons?.length ? reasonBars(reasonFor(reasons, seconds)) : null) });
  const film = filmPlayer({ id, path, duration, start, chapters: `${path}/chapters.vtt${as}`, ontime: () => follow() });
  const title = make("input", { class: "title-edit", "aria-label": "Title of this story", placeholder: "Untitled story", maxlength: 500, onchange: () => change(retitle(history.now, current(), title.value)) });
  const when = make("p", { class: "soft small when" });
  const filmstrip = make("div", { class: "film", role: "group", "aria-label": "Shots of this story" });
  const why = make("details", { class: "why", hidden: true }, make("summary", { title: "Key: w" }), make("div"));
  const dial = make("input", { type: "range", min: 0, max: 1, step: 0.05, value: finer ?? 0.5, "aria-label": "Granularity", oninput: regroup, onchange: () => { dialled = false; } });
  const many = make("output", { class: "small soft count" });
  const icon = (sign, label, key, onclick) => make("button", { type: "button", class: "icon", title: `${label} (${key})`, "aria-label": label, onclick }, sign);
  const undo = icon("↶", "Undo", "Ctrl+Z", () => jump(history.undo()));
  const redo = icon("↷", "Redo", "Ctrl+Shift+Z", () => jump(history.redo()));
  const save = make("button", { type: "button", class: "main", title: "Save my version beside the machine's", "aria-label": "Save my version", onclick: keep }, "Save");
  const name = make("input", { class: "name", "aria-label": "Your name, for your version", value: annotator ?? localStorage.getItem("name") ?? "me", maxlength: 60 });
  const compare = make("div");
  const rivals = make("input", { type: "checkbox", checked: address.has("baselines"), onchange: () => { remember("baselines", rivals.checked ? "1" : null); refreshVersions(); } });
  const formats = make("select", { "aria-label": "Export as", onchange: download }, make("option", { value: "" }, "Export…"));
  const spoken = transcriptPanel(words.words, film.seek);
  const learn = learnPanel({ name: () => name.value.trim(), onused: again });

  view.replaceChildren(
    make("div", { class: "head" },
      make("div", {}, make("h1", {}, id), make("p", { class: "soft small" }, annotator ? `As ${annotator} marked it · ` : finer ? "At another granularity · " : "As the machine found it · ", clock(duration))),
      make("div", { class: "tools" }, formats)),
    make("div", { class: "watch" },
      make("section", { "aria-label": "Player" },
        film.element, strip.element,
        make("div", { class: "story" }, title, when, why),
        filmstrip,
        make("div", { class: "tools bench", role: "group", "aria-label": "Correct" },
          make("div", { class: "set" },
            make("button", { type: "button", title: "Split the story here (s)", onclick: () => change(split(history.now, film.time())) }, "Split"),
            make("button", { type: "button", title: "Join to the story before (m)", onclick: () => change(merge(history.now, current())) }, "Join")),
          make("div", { class: "set" }, icon("◂", "Begin this story a shot earlier", "[", () => nudge(-1)), icon("▸", "Begin this story a shot later", "]", () => nudge(1))),
          make("div", { class: "set" }, undo, redo),
          make("label", { class: "small soft dial" }, "few", dial, "many", many),
          make("div", { class: "set end" }, make("label", { class: "small soft" }, "as", name), save)),
        make("section", { class: "panel versions-panel", "aria-label": "Versions" },
          make("div", { class: "panel-head" }, make("h2", {}, "Versions"), make("label", { class: "small soft" }, rivals, "with baselines")), compare),
        learn.element,
        make("details", { class: "panel" }, make("summary", {}, "Keyboard"), keys())),
      make("aside", { class: "side", "aria-label": "Transcript" }, spoken.element)));

  get("/formats").then(({ formats: all }) => formats.append(...all.map((f) => make("option", { value: f.name, title: `${f.summary}; it loses ${f.loses}` }, `${f.name} – ${f.summary}`))));
  get(`${path}/explanation`).then(({ boundaries }) => { reasons = boundaries; explain(current()); }).catch(() => {});
  refreshVersions();
  draw();

  function current() {
    const { starts } = history.now;
    return Math.max(0, starts.findLastIndex((begin) => begin <= film.time() + 0.02));
  }

  function follow() {
    const at = film.time();
    strip.at(at);
    spoken.follow(at);
    if (current() !== shown) describe((shown = current()));
    if (Math.abs(at - shownAt) > 2) {
      shownAt = at;
      remember("t", at.toFixed(1));
    }
  }

  function describe(place) {
    const { starts, titles } = history.now;
    const end = starts[place + 1] ?? duration;
    title.value = titles[place] ?? "";
    when.textContent = `Story ${place + 1} of ${starts.length} · ${clock(starts[place])} – ${clock(end)}`;
    strip.mark(place);
    filmstrip.replaceChildren(...shots.filter(({ start, end: stop }) => (start + stop) / 2 >= starts[place] && (start + stop) / 2 < end).map((shot) => frame(shot, place)));
    explain(place);
  }

  // One shot of the story: the picture goes there, the star lets it stand for the story.
  function frame(shot, place) {
    const at = shot.pictures[Math.floor(shot.pictures.length / 2)] ?? shot.start;
    const chosen = shot.pictures.includes(history.now.thumbnails[place]);
    return make("div", { class: chosen ? "cell chosen" : "cell" },
      make("button", { type: "button", class: "go", "aria-label": `Go to the shot at ${clock(shot.start)}`, onclick: () => film.seek(shot.start) }, make("img", { src: picture(id, at), alt: "", loading: "lazy" })),
      make("button", { type: "button", class: "star", "aria-pressed": String(chosen), title: "Let this picture stand for the story", "aria-label": `Show this story by the shot at ${clock(shot.start)}`, onclick: () => choose(place, chosen ? null : at) }, chosen ? "★" : "☆"));
  }

  // What a person prefers for one of the machine's stories stays, and teaches which pictures please.
  async function choose(place, at) {
    change(showBy(history.now, place, at));
    const begin = history.now.starts[place];
    const number = machine?.findIndex((story) => Math.abs(story.start - begin) < 0.01) ?? -1;
    if (at === null || number < 0) return;
    try {
      await send("PUT", `${path}/stories/${number + 1}/thumbnail`, { seconds: at });
      tell("This picture stands for the story from now on.");
    } catch (error) { tell(error.message); }
  }

  function explain(place) {
    const reason = place && reasons?.length ? reasonFor(reasons, history.now.starts[place]) : null;
    why.hidden = !reason;
    if (!reason) return;
    why.firstChild.replaceChildren(make("b", {}, "Why here? "), make("span", { class: "soft" }, reasonLine(reason)));
    why.lastChild.replaceChildren(reasonBars(reason));
  }

  function draw() {
    strip.draw();
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    save.disabled = !history.changed;
    many.textContent = String(history.now.starts.length);
    shown = -1;
    follow();
  }

  function change(version) {
    if (!version) return tell("That cannot be done here.");
    dialled = false;
    history.push(version);
    draw();
  }

  function jump(version) { if (version) draw(); }

  function nudge(direction) {
    const place = current();
    if (!place) return tell("The first story begins at the beginning.");
    strip.byShot(place, direction);
    film.seek(history.now.starts[place] + 0.01);
  }

  async function keep() {
    const mine = name.value.trim() || "me";
    save.disabled = true;
    try {
      await send("PUT", `${path}/annotations/${encodeURIComponent(mine)}`, history.now);
    } catch (error) {
      save.disabled = false;
      return tell(`Not saved: ${error.message}`);
    }
    localStorage.setItem("name", mine);
    history.saved();
    remember("annotator", mine);
    remember("granularity", null);
    tell("Your version is saved beside the machine's.");
    refreshVersions();
  }

  // One turn of the dial, however long, is one step to undo; only the latest answer counts.
  let dialled = false;
  let turn = 0;
  async function regroup() {
    const mine = ++turn;
    const { stories } = await get(`${path}/stories?granularity=${dial.value}`);
    if (mine !== turn) return;
    if (dialled) history.replace(versionOf(stories));
    else history.push(versionOf(stories));
    dialled = true;
    if (!annotator) remember("granularity", dial.value);
    draw();
  }

  async function refreshVersions() {
    compare.setAttribute("aria-busy", "true");
    compare.replaceChildren(compareRows(id, await get(`${path}/annotations${rivals.checked ? "?baselines=true" : ""}`), duration));
    compare.removeAttribute("aria-busy");
  }

  // Asked for by script, so that a refusal is told here and does not replace the page.
  async function download() {
    const wanted = formats.value;
    formats.value = "";
    if (!wanted) return;
    tell(`Writing ${wanted}…`);
    const answer = await fetch(api(`${path}/export/${wanted}${as}`));
    if (!answer.ok) return tell((await answer.json().catch(() => ({}))).detail ?? `The server answered ${answer.status}`);
    const file = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition"))?.[1] ?? `${id}-${wanted}`;
    const link = URL.createObjectURL(await answer.blob());
    make("a", { href: link, download: file }).click();
    setTimeout(() => URL.revokeObjectURL(link), 60_000);
    tell(`${file} is in your downloads.`);
  }

  const actions = {
    " ": film.toggle, k: film.toggle, ArrowRight: () => film.seek(film.time() + 5), ArrowLeft: () => film.seek(film.time() - 5),
    n: () => film.seek(history.now.starts[current() + 1] ?? film.time()), p: () => film.seek(history.now.starts[Math.max(0, current() - 1)]),
    s: () => change(split(history.now, film.time())), m: () => change(merge(history.now, current())), "[": () => nudge(-1), "]": () => nudge(1),
    w: () => { if (why.hidden) tell("The first story begins at the beginning."); else why.open = !why.open; },
  };
  const onKey = (event) => {
    if (event.defaultPrevented || event.altKey || event.target.matches("input, textarea, select")) return;
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "z") jump(event.shiftKey ? history.redo() : history.undo());
    else if (command || !actions[event.key]) return;
    else if (event.key === " " && event.target.matches("button, a, summary, video")) return;
    else actions[event.key]();
    event.preventDefault();
  };
  document.addEventListener("keydown", onKey);
  return () => { document.removeEventListener("keydown", onKey); learn.close(); film.close(); };
}

const versionOf = (stories) => ({ starts: stories.map((s) => s.start), titles: stories.map((s) => s.title), thumbnails: stories.map((s) => s.chosen ?? null) });

function remember(key, value) {
  const address = new URL(location.href);
  if (value === null) address.searchParams.delete(key);
  else address.searchParams.set(key, value);
  window.history.replaceState(null, "", address);
}

function keys() {
  const all = [["space, k", "play and pause"], ["← →", "five seconds back and on"], ["p n", "previous and next story"], ["w", "why does this story begin here?"], ["s", "split the story here"], ["m", "join it to the one before"], ["[ ]", "move its beginning by a shot"], ["Tab, ← →", "on a boundary: why it is there; move it by a shot; Delete joins"], ["Ctrl+Z", "undo; with Shift, redo"], ["/", "search"]];
  return make("dl", { class: "keys" }, ...all.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]));
}
