// Watching one video: player, timeline of stories, transcript, filmstrip, and the person's own version.
import { api, clock, colour, get, make, picture, send, tell, textOn } from "./dom.js";
import { History, merge, move, retitle, showBy, split } from "./edit.js";
import { compareRows } from "./compare.js";
import { transcriptPanel } from "./transcript.js";

const ME = "me";

export async function showWatch(view, id, address) {
  const path = `/videos/${encodeURIComponent(id)}`;
  const annotator = address.get("annotator");
  const [facts, { shots }, words] = await Promise.all([
    get(`${path}/stories${annotator ? `?annotator=${encodeURIComponent(annotator)}` : ""}`),
    get(`${path}/shots`),
    get(`${path}/transcript`),
  ]);
  document.title = `${id} – Storyscope`;
  const { duration } = facts.video;
  let stories = facts.stories;
  let history = new History(versionOf(stories));

  const film = make("video", { controls: true, playsinline: true, preload: "metadata", src: api(`${path}/media`), poster: picture(id, Number(address.get("t") ?? duration / 3)) },
    make("track", { kind: "chapters", srclang: "en", label: "Stories", src: api(`${path}/chapters.vtt`), default: true }));
  film.addEventListener("error", () => tell("This browser cannot play the file; its codec or container is not for the web."));
  const strip = make("div", { class: "strip", role: "group", "aria-label": "Stories" });
  const needle = make("div", { class: "needle" });
  const peek = make("div", { class: "peek", "aria-hidden": "true" }, make("img", { alt: "" }), make("span"));
  const rail = make("div", { class: "rail" }, strip, peek);
  const title = make("input", { class: "title-edit", "aria-label": "Title of this story", maxlength: 500, onchange: () => change(retitle(history.now, current(), title.value)) });
  const when = make("p", { class: "soft small" });
  const filmstrip = make("div", { class: "film", "aria-label": "Shots of this story" });
  const why = make("div", { class: "small" });
  const dial = make("input", { type: "range", min: 0, max: 1, step: 0.05, value: 0.5, "aria-label": "Granularity", oninput: () => regroup() });
  const undo = make("button", { type: "button", onclick: () => jump(history.undo()), title: "Ctrl+Z" }, "Undo");
  const redo = make("button", { type: "button", onclick: () => jump(history.redo()), title: "Ctrl+Shift+Z" }, "Redo");
  const save = make("button", { type: "button", class: "main", onclick: keep }, "Save my version");
  const compare = make("div");
  const formats = make("select", { "aria-label": "Export as", onchange: () => { if (formats.value) location.href = api(`${path}/export/${formats.value}`); formats.value = ""; } }, make("option", { value: "" }, "Export…"));

  const spoken = transcriptPanel(words.words, (seconds) => seek(seconds));
  view.replaceChildren(
    make("div", { class: "head" }, make("div", {}, make("h1", {}, id), when), make("div", { class: "tools" }, formats)),
    make("div", { class: "watch" },
      make("section", { "aria-label": "Player" },
        make("div", { class: "stage" }, film), rail, title,
        make("div", { class: "tools" },
          make("button", { type: "button", onclick: () => change(split(history.now, film.currentTime)), title: "S" }, "Split here"),
          make("button", { type: "button", onclick: () => change(merge(history.now, current())), title: "M" }, "Join to previous"),
          make("button", { type: "button", onclick: () => nudge(-1), title: "[" }, "◂ boundary"),
          make("button", { type: "button", onclick: () => nudge(1), title: "]" }, "boundary ▸"),
          undo, redo, save,
          make("label", { class: "small soft" }, "few", dial, "many")),
        filmstrip, why,
        make("div", { class: "panel" }, make("h2", {}, "Versions"), compare),
        make("details", { class: "panel" }, make("summary", {}, "Keyboard"), keys())),
      make("aside", { class: "side", "aria-label": "Transcript" }, spoken.element)));

  get("/formats").then(({ formats: all }) => formats.append(...all.map((f) => make("option", { value: f.name, title: f.summary }, f.name))));
  const start = Number(address.get("t") ?? 0);
  let shown = -1;
  let shownAt = start;
  film.addEventListener("loadedmetadata", () => { film.currentTime = start; }, { once: true });
  film.addEventListener("timeupdate", follow);
  refreshVersions();
  draw();

  function current() {
    const at = film.readyState ? film.currentTime : start;
    const starts = history.now.starts;
    let place = 0;
    while (place + 1 < starts.length && starts[place + 1] <= at + 0.001) place += 1;
    return place;
  }

  function seek(seconds) {
    film.currentTime = Math.min(seconds, duration);
    follow();
  }

  function follow() {
    const at = film.readyState ? film.currentTime : start;
    needle.style.left = `${(100 * at) / duration}%`;
    spoken.follow(at);
    const place = current();
    if (place !== shown) {
      shown = place;
      describe(place);
    }
    if (Math.abs(at - shownAt) > 2) {
      shownAt = at;
      const keep = new URL(location.href);
      keep.searchParams.set("t", at.toFixed(1));
      window.history.replaceState(null, "", keep);
    }
  }

  function describe(place) {
    const { starts, titles } = history.now;
    const end = starts[place + 1] ?? duration;
    title.value = titles[place] ?? "";
    when.textContent = `Story ${place + 1} of ${starts.length} · ${clock(starts[place])} – ${clock(end)} · ${clock(duration)} in all`;
    [...strip.querySelectorAll("button")].forEach((button, n) => {
      button.classList.toggle("now", n === place);
      button.setAttribute("aria-current", n === place);
    });
    const inside = shots.filter((shot) => (shot.start + shot.end) / 2 >= starts[place] && (shot.start + shot.end) / 2 < end);
    filmstrip.replaceChildren(...inside.map((shot) => {
      const at = shot.pictures[Math.floor(shot.pictures.length / 2)] ?? shot.start;
      return make("button", {
        type: "button", title: `Shot at ${clock(shot.start)}; Shift+click lets this picture stand for the story`,
        onclick: (event) => (event.shiftKey ? change(showBy(history.now, place, at)) : seek(shot.start)),
      }, make("img", { src: picture(id, at), alt: `Shot at ${clock(shot.start)}`, loading: "lazy" }));
    }));
    explain(place);
  }

  function explain(place) {
    const reason = stories[place]?.why;
    why.replaceChildren();
    if (!place || !reason) return;
    const cues = Object.entries(reason.cues).sort((a, b) => b[1] - a[1]).filter(([, v]) => v > 0).slice(0, 3).map(([name]) => name);
    why.append(make("b", {}, "Why here? "), `confidence ${(100 * reason.confidence).toFixed(0)} %`, cues.length ? ` · ${cues.join(", ")}` : "");
  }

  function draw() {
    const { starts, titles } = history.now;
    const blocks = starts.map((begin, n) => {
      const end = starts[n + 1] ?? duration;
      return make("button", {
        type: "button", style: `flex-grow:${Math.max(end - begin, duration / 500)};background:${colour(n)};color:${textOn(n)}`,
        title: titles[n] ?? "", "aria-label": `Story ${n + 1}: ${titles[n] || "untitled"}, ${clock(begin)} to ${clock(end)}`, onclick: () => seek(begin),
      }, titles[n] || String(n + 1));
    });
    strip.replaceChildren(...blocks, needle);
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    save.disabled = !history.canUndo;
    shown = -1;
    follow();
  }

  function change(version) {
    if (!version) return tell("That cannot be done here.");
    history.push(version);
    draw();
  }

  function jump(version) { if (version) draw(); }

  // Boundaries snap to the shots around them: a story never begins in the middle of a shot.
  function nudge(direction) {
    const place = current();
    if (!place) return tell("The first story begins at the beginning.");
    const at = history.now.starts[place];
    const edges = shots.map((shot) => shot.start);
    const next = direction > 0 ? edges.find((edge) => edge > at + 0.01) : edges.findLast((edge) => edge < at - 0.01);
    const moved = next === undefined ? null : move(history.now, place, next, duration);
    if (moved) film.currentTime = next + 0.01;
    change(moved);
  }

  async function keep() {
    await send("PUT", `${path}/annotations/${ME}`, history.now);
    history.saved();
    tell("Your version is saved beside the machine's.");
    const keep = new URL(location.href);
    keep.searchParams.set("annotator", ME);
    window.history.replaceState(null, "", keep);
    refreshVersions();
  }

  let regrouping;
  function regroup() {
    clearTimeout(regrouping);
    regrouping = setTimeout(async () => {
      const found = await get(`${path}/stories?granularity=${dial.value}`);
      stories = found.stories;
      history = new History(versionOf(stories));
      draw();
    }, 80);
  }

  async function refreshVersions() {
    compare.replaceChildren(compareRows(await get(`${path}/annotations`), duration));
  }

  strip.addEventListener("pointermove", (event) => {
    const { left, width } = strip.getBoundingClientRect();
    const at = Math.min(Math.max((event.clientX - left) / width, 0), 1) * duration;
    peek.style.left = `${(100 * at) / duration}%`;
    peek.style.display = "block";
    peek.querySelector("img").src = picture(id, at);
    peek.querySelector("span").textContent = clock(at);
  });
  strip.addEventListener("pointerleave", () => { peek.style.display = "none"; });

  const onKey = (event) => {
    if (event.target.matches("input:not([type=range]), textarea, select")) return;
    const actions = {
      " ": () => (film.paused ? film.play() : film.pause()), k: () => (film.paused ? film.play() : film.pause()),
      ArrowRight: () => seek(film.currentTime + 5), ArrowLeft: () => seek(Math.max(0, film.currentTime - 5)),
      n: () => seek(history.now.starts[current() + 1] ?? film.currentTime), p: () => seek(history.now.starts[Math.max(0, current() - 1)]),
      s: () => change(split(history.now, film.currentTime)), m: () => change(merge(history.now, current())),
      "[": () => nudge(-1), "]": () => nudge(1),
    };
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      jump(event.shiftKey ? history.redo() : history.undo());
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && actions[event.key]) {
      if (event.key === " " && event.target.matches("button, a, summary, video")) return;
      event.preventDefault();
      actions[event.key]();
    }
  };
  document.addEventListener("keydown", onKey);
  return () => { document.removeEventListener("keydown", onKey); film.pause(); };
}

const versionOf = (stories) => ({ starts: stories.map((s) => s.start), titles: stories.map((s) => s.title), thumbnails: stories.map(() => null) });

function keys() {
  const all = [["space, k", "play and pause"], ["← →", "five seconds back and on"], ["p n", "previous and next story"], ["s", "split the story here"], ["m", "join it to the one before"], ["[ ]", "move its beginning by a shot"], ["Ctrl+Z", "undo; with Shift, redo"], ["/", "search"]];
  return make("dl", { class: "keys" }, ...all.flatMap(([key, what]) => [make("dt", {}, key), make("dd", {}, what)]));
}
