// Watching one video: player, strip of stories, transcript, filmstrip, and the person's own version.
import { api, clock, get, make, picture, send, tell } from "./dom.js";
import { History, merge, retitle, showBy, split } from "./edit.js";
import { compareRows } from "./compare.js";
import { storyStrip } from "./strip.js";
import { transcriptPanel } from "./transcript.js";

export async function showWatch(view, id, address) {
  const path = `/videos/${encodeURIComponent(id)}`;
  const annotator = address.get("annotator");
  const as = annotator ? `?annotator=${encodeURIComponent(annotator)}` : "";
  const [facts, { shots }, words] = await Promise.all([get(`${path}/stories${as}`), get(`${path}/shots`), get(`${path}/transcript`)]);
  document.title = `${id} – Storyscope`;
  const { duration } = facts.video;
  const start = Math.min(Number(address.get("t")) || 0, duration);
  let stories = facts.stories;
  let history = new History(versionOf(stories));
  let [shown, shownAt] = [-1, start];

  const film = make("video", { controls: true, playsinline: true, preload: "metadata", src: api(`${path}/media`), poster: picture(id, start || duration / 3), "aria-label": `Film: ${id}` },
    make("track", { kind: "chapters", srclang: "en", label: "Stories", src: api(`${path}/chapters.vtt${as}`), default: true }));
  const stage = make("div", { class: "stage" }, film);
  film.addEventListener("error", async () => stage.append(unplayable(await get(`${path}/playable`))), { once: true });
  const strip = storyStrip({ video: id, duration, shots, now: () => history.now, change, seek });
  const title = make("input", { class: "title-edit", "aria-label": "Title of this story", placeholder: "Untitled story", maxlength: 500, onchange: () => change(retitle(history.now, current(), title.value)) });
  const when = make("p", { class: "soft small when" });
  const filmstrip = make("div", { class: "film", role: "group", "aria-label": "Shots of this story" });
  const why = make("p", { class: "small why", hidden: true });
  const dial = make("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0.5, "aria-label": "Granularity", oninput: regroup });
  const undo = make("button", { type: "button", onclick: () => jump(history.undo()), title: "Ctrl+Z" }, "Undo");
  const redo = make("button", { type: "button", onclick: () => jump(history.redo()), title: "Ctrl+Shift+Z" }, "Redo");
  const save = make("button", { type: "button", class: "main", onclick: keep }, "Save my version");
  const name = make("input", { class: "name", "aria-label": "Your name, for your version", value: annotator ?? localStorage.getItem("name") ?? "me", maxlength: 60 });
  const compare = make("div");
  const formats = make("select", { "aria-label": "Export as", onchange: download }, make("option", { value: "" }, "Export…"));
  const spoken = transcriptPanel(words.words, seek);
  const button = (text, key, onclick, label) => make("button", { type: "button", onclick, title: `Key: ${key}`, "aria-label": label }, text);

  view.replaceChildren(
    make("div", { class: "head" },
      make("div", {}, make("h1", {}, id), make("p", { class: "soft small" }, annotator ? `As ${annotator} marked it · ` : "As the machine found it · ", clock(duration))),
      make("div", { class: "tools" }, formats)),
    make("div", { class: "watch" },
      make("section", { "aria-label": "Player" },
        stage, strip.element,
        make("div", { class: "story" }, title, when, why),
        filmstrip,
        make("div", { class: "tools", role: "group", "aria-label": "Correct" },
          make("div", { class: "set" },
            button("Split here", "s", () => change(split(history.now, film.currentTime))),
            button("Join to previous", "m", () => change(merge(history.now, current())))),
          make("div", { class: "set" },
            button("◂", "[", () => nudge(-1), "Begin this story a shot earlier"),
            button("▸", "]", () => nudge(1), "Begin this story a shot later")),
          make("div", { class: "set" }, undo, redo),
          make("label", { class: "small soft" }, "few", dial, "many"),
          make("div", { class: "set end" }, make("label", { class: "small soft" }, "as", name), save)),
        make("div", { class: "panel" }, make("h2", {}, "Versions"), compare),
        make("details", { class: "panel" }, make("summary", {}, "Keyboard"), keys())),
      make("aside", { class: "side", "aria-label": "Transcript" }, spoken.element)));

  get("/formats").then(({ formats: all }) => formats.append(...all.map((f) => make("option", { value: f.name, title: f.summary }, f.name))));
  const begin = () => { film.currentTime = start; };
  if (film.readyState) begin();
  else film.addEventListener("loadedmetadata", begin, { once: true });
  film.addEventListener("timeupdate", follow);
  film.addEventListener("seeking", follow);
  refreshVersions();
  draw();

  function time() { return film.readyState ? film.currentTime : start; }

  function current() {
    const { starts } = history.now;
    return Math.max(0, starts.findLastIndex((begin) => begin <= time() + 0.02));
  }

  function seek(seconds) {
    film.currentTime = Math.min(Math.max(seconds, 0), duration);
    follow();
  }

  function follow() {
    const at = time();
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
    return make("div", { class: "cell" },
      make("button", { type: "button", class: "go", "aria-label": `Go to the shot at ${clock(shot.start)}`, onclick: () => seek(shot.start) }, make("img", { src: picture(id, at), alt: "", loading: "lazy" })),
      make("button", { type: "button", class: "star", "aria-pressed": String(chosen), title: "Let this picture stand for the story", "aria-label": `Show this story by the shot at ${clock(shot.start)}`, onclick: () => change(showBy(history.now, place, chosen ? null : at)) }, chosen ? "★" : "☆"));
  }

  function explain(place) {
    const reason = place ? stories.find((story) => Math.abs(story.start - history.now.starts[place]) < 0.01)?.why : null;
    why.hidden = !reason;
    if (!reason) return;
    const cues = Object.entries(reason.cues).filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1]).slice(0, 3);
    why.replaceChildren(make("b", {}, "Why here? "), `${(100 * reason.confidence).toFixed(0)} % sure`, cues.length ? ` · ${cues.map(([cue]) => cue).join(", ")}` : "");
  }

  function draw() {
    strip.draw();
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    save.disabled = !history.changed;
    shown = -1;
    follow();
  }

  function change(version) {
    if (!version) return tell("That cannot be done here.");
    history.push(version);
    draw();
  }

  function jump(version) { if (version) draw(); }

  function nudge(direction) {
    const place = current();
    if (!place) return tell("The first story begins at the beginning.");
    strip.byShot(place, direction);
    seek(history.now.starts[place] + 0.01);
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
    tell("Your version is saved beside the machine's.");
    refreshVersions();
  }

  let regrouping;
  function regroup() {
    clearTimeout(regrouping);
    regrouping = setTimeout(async () => {
      stories = (await get(`${path}/stories?granularity=${dial.value}`)).stories;
      change(versionOf(stories));
    }, 80);
  }

  async function refreshVersions() {
    compare.replaceChildren(compareRows(id, await get(`${path}/annotations`), duration));
  }

  function download() {
    if (formats.value) location.href = api(`${path}/export/${formats.value}${as}`);
    formats.value = "";
  }

  const play = () => (film.paused ? film.play() : film.pause());
  const actions = {
    " ": play, k: play, ArrowRight: () => seek(time() + 5), ArrowLeft: () => seek(time() - 5),
    n: () => seek(history.now.starts[current() + 1] ?? time()), p: () => seek(history.now.starts[Math.max(0, current() - 1)]),
    s: () => change(split(history.now, time())), m: () => change(merge(history.now, current())), "[": () => nudge(-1), "]": () => nudge(1),
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
  return () => { document.removeEventListener("keydown", onKey); film.pause(); film.removeAttribute("src"); film.load(); };
}

const versionOf = (stories) => ({ starts: stories.map((s) => s.start), titles: stories.map((s) => s.title), thumbnails: stories.map((s) => s.chosen ?? null) });

function remember(key, value) {
  const address = new URL(location.href);
  address.searchParams.set(key, value);
  window.history.replaceState(null, "", address);
}

function unplayable({ reason }) {
  return make("div", { class: "cover", role: "alert" }, make("b", {}, "This browser cannot play the file"),
    make("span", {}, reason || "Its codec or container is not for the web."), make("span", { class: "small" }, "Stories, transcript and pictures work all the same."));
}

function keys() {
  const all = [["space, k", "play and pause"], ["← →", "five seconds back and on"], ["p n", "previous and next story"], ["s", "split the story here"], ["m", "join it to the one before"], ["[ ]", "move its beginning by a shot"], ["Tab, ← →", "on a boundary: move it by a shot; Delete joins"], ["Ctrl+Z", "undo; with Shift, redo"], ["/", "search"]];
  return make("dl", { class: "keys" }, ...all.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]));
}
