// The state of the watch view: the stories of one version and, in edit mode, a draft of them.
// Heading, address, export and explanations are all derived from it.
import { get, videoPath } from "./api.js";
import { bodyOf, fillTitles, History, regrouped, versionOf } from "./edit.js";
import { firstFrom, startsAt } from "./granularity.js";
import { dropDraft, draftOf, keepDraft, myName } from "./person.js";

const DEFAULT = 0.5;
// Titles are requested when the slider has not moved for this many milliseconds.
const REST = 60;

export class WatchState {
  #listeners = new Set();
  #turn = 0;
  // Stories as the server sent them, by start time.
  #known = new Map();
  #times = [];
  #drawn = { now: null, facts: null, list: [] };

  constructor({ id, params, signal }) {
    this.id = id;
    this.signal = signal;
    this.path = videoPath(id);
    this.source = sourceIn(params);
    this.words = params.get("q") ?? "";
    this.mode = params.has("edit") ? "edit" : params.has("compare") ? "compare" : "watch";
    this.draft = null;
    /** @type {any} */
    this.facts = null;
    /** @type {any} */
    this.video = null;
    /** @type {any} */
    this.transcript = null;
    this.cuts = { order: [], natural: 1 };
    this.shots = [];
    this.matchTimes = [];
    // Whether the titles and pictures of the stories on screen are still loading.
    this.sketched = false;
    this.name = id;
    this.frameRate = 25;
  }

  async load() {
    const { signal } = this;
    [this.facts, { shots: this.shots }, this.transcript, this.video, this.cuts] = await Promise.all(
      [`/stories${this.query()}`, "/shots", "/transcript", "", "/path"].map(
        (what) => get(this.path + what, { signal })));
    this.duration = this.facts.video.duration;
    this.#times = this.shots.flatMap((shot) => shot.pictures).sort((a, b) => a - b);
    this.#settle();
    if (this.mode === "edit") this.edit();
  }

  // Switches to another version, or to another number of stories.
  async choose(source) {
    const mine = ++this.#turn;
    const facts = await get(`${this.path}/stories${queryOf(source)}`, { signal: this.signal });
    if (mine !== this.#turn) return;
    [this.source, this.facts, this.draft, this.sketched] = [source, facts, null, false];
    this.#known.clear();
    this.#settle();
    if (this.mode === "edit") this.edit();
    this.changed();
  }

  // Shows the new boundaries at once; titles and pictures follow. In edit mode, changing the
  // number of stories is one undo step.
  async regroup(granularity, { again }) {
    const mine = ++this.#turn;
    const sketch = this.#sketch(granularity);
    if (this.draft) {
      const next = regrouped(this.now, this.base, versionOf(sketch, granularity));
      if (again) this.draft.replace(next);
      else this.draft.push(next);
    } else {
      this.source = { annotator: null, granularity };
      this.facts = { ...this.facts, granularity, stories: sketch };
      this.#settle();
    }
    this.sketched = true;
    this.changed();
    await new Promise((go) => setTimeout(go, REST));
    if (mine !== this.#turn || this.signal.aborted) return;
    const facts = await get(
      `${this.path}/stories?granularity=${granularity}`, { signal: this.signal });
    if (mine !== this.#turn) return;
    this.sketched = false;
    if (this.draft) {
      this.#remember(facts.stories);
      this.draft.replace(fillTitles(this.now, facts.stories));
    } else {
      this.facts = facts;
      this.#settle();
    }
    this.changed();
  }

  // Stories at another granularity, with titles and pictures for those that do not change.
  #sketch(granularity) {
    const starts = startsAt(this.cuts, this.shots, granularity);
    return starts.map((start, n) => {
      const end = starts[n + 1] ?? this.duration;
      const known = this.#known.get(keyOf(start));
      const same = known && Math.abs(known.end - end) < 0.05;
      return same ? { ...known } : { start, end, title: "", keywords: [], chosen: null };
    });
  }

  edit() {
    const kept = draftOf(this.id);
    const same = kept && queryOf(kept.source) === this.query();
    this.mode = "edit";
    this.draft = new History(same ? kept.version : this.base, this.base);
  }

  leaveEditing() {
    this.mode = "watch";
    this.draft = null;
  }

  saved(annotator) {
    this.draft.saved();
    [this.base, this.source] = [this.draft.now, { annotator, granularity: null }];
    dropDraft(this.id);
  }

  changed() {
    if (this.draft?.changed) keepDraft(this.id, this.source, this.draft.now);
    else if (this.draft && sameDraft(this)) dropDraft(this.id);
    for (const listener of this.#listeners) listener();
  }

  listen(listener) { this.#listeners.add(listener); }

  get now() { return this.draft ? this.draft.now : this.base; }
  get dirty() { return Boolean(this.draft?.changed); }
  get granularity() { return this.now.granularity ?? this.facts?.granularity ?? DEFAULT; }
  get isAutomatic() {
    const { annotator, granularity } = this.source;
    return granularity === null && (annotator ? annotator === "automatic" : !this.video.own);
  }

  // The name of the version, such as "Automatic", "Automatic, more stories" or "Version by cat".
  get label() {
    const name = this.#named();
    return this.dirty ? `Unsaved draft, based on ${lower(name)}` : name;
  }

  query() { return queryOf(this.source); }

  address(seconds = null) {
    const params = new URLSearchParams(this.query().slice(1));
    if (this.words) params.set("q", this.words);
    if (this.mode !== "watch") params.set(this.mode, "1");
    if (seconds > 0.5) params.set("t", seconds.toFixed(1));
    const query = params.toString();
    return `/watch/${encodeURIComponent(this.id)}${query ? `?${query}` : ""}`;
  }

  // The request that exports exactly the stories on screen.
  exportRequest(format) {
    const path = `${this.path}/export/${encodeURIComponent(format)}`;
    if (!this.dirty) return [`${path}${this.query()}`, {}];
    const headers = { "Content-Type": "application/json" };
    return [path, { method: "POST", headers, body: JSON.stringify(bodyOf(this.now)) }];
  }

  // The stories on screen, with their ends, pictures and keywords.
  stories() {
    const { now, facts } = this;
    if (this.#drawn.now !== now || this.#drawn.facts !== facts) {
      this.#drawn = { now, facts, list: this.#list(now) };
    }
    return this.#drawn.list;
  }

  #list({ starts, titles, thumbnails }) {
    return starts.map((start, n) => {
      const end = starts[n + 1] ?? this.duration;
      const found = this.#known.get(keyOf(start));
      const inside = found && found.thumbnail < end ? found.thumbnail : null;
      return {
        start, end, number: n + 1, title: titles[n] || `Story ${n + 1}`, named: titles[n],
        keywords: found?.keywords ?? [], summary: found?.summary ?? "", chosen: thumbnails[n],
        picture: thumbnails[n] ?? inside ?? this.#middle(start, end),
      };
    });
  }

  // Explains where a boundary that is not in the automatic version comes from.
  originOf(seconds) {
    const has = ({ starts }) => starts.some((each) => Math.abs(each - seconds) < 0.05);
    if (this.draft && !has(this.base)) {
      return this.now.granularity === null ? "Set by you in this draft"
        : "From “Fewer / More stories”";
    }
    const person = this.source.annotator ?? (this.now.granularity === null && this.video.own);
    if (person) return `Set by ${person}`;
    return "Only at this setting of “Fewer / More stories”";
  }

  #named() {
    const { annotator, granularity } = this.source;
    if (annotator && annotator === myName()) return `Your version (${annotator})`;
    if (annotator && annotator !== "automatic") return `Version by ${annotator}`;
    if (granularity !== null) {
      return `Automatic, ${granularity > DEFAULT ? "more" : "fewer"} stories`;
    }
    return annotator || !this.video.own ? "Automatic" : `Library version (by ${this.video.own})`;
  }

  #middle(start, end) {
    const from = firstFrom(this.#times, start);
    const to = firstFrom(this.#times, end);
    return from < to ? this.#times[(from + to) >> 1] : (start + end) / 2;
  }

  #remember(stories) {
    for (const story of stories) {
      if (story.thumbnail !== undefined) this.#known.set(keyOf(story.start), story);
    }
  }

  #settle() {
    this.#remember(this.facts.stories);
    this.base = versionOf(this.facts.stories, this.source.granularity);
  }
}

const keyOf = (seconds) => seconds.toFixed(2);

const lower = (name) => name[0].toLowerCase() + name.slice(1);
const sameDraft = (state) => {
  const kept = draftOf(state.id);
  return kept && queryOf(kept.source) === state.query();
};

function sourceIn(params) {
  const annotator = params.get("annotator");
  const granularity = params.has("granularity") ? Number(params.get("granularity")) : null;
  return { annotator, granularity: annotator ? null : granularity };
}

function queryOf({ annotator, granularity }) {
  if (annotator) return `?annotator=${encodeURIComponent(annotator)}`;
  return granularity === null ? "" : `?granularity=${granularity}`;
}
