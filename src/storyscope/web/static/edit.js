// A version of the stories as an immutable value, one function per edit, and the undo history.
const SAME = 0.05;
const spliced = (list, at, remove, ...items) =>
  [...list.slice(0, at), ...items, ...list.slice(at + remove)];

export const versionOf = (found, granularity = null) => ({
  starts: found.map((story) => story.start),
  // "Story 3" is not a title: stories are renumbered when one is split or joined.
  titles: found.map((story, n) => (story.title === `Story ${n + 1}` ? "" : story.title)),
  thumbnails: found.map((story) => story.chosen ?? null),
  granularity,
});

export const bodyOf = ({ starts, titles, thumbnails }) => ({ starts, titles, thumbnails });

export function split(version, seconds) {
  const at = version.starts.findLastIndex((start) => start <= seconds);
  if (at < 0 || version.starts.some((start) => Math.abs(start - seconds) < SAME)) return null;
  return {
    ...version,
    starts: spliced(version.starts, at + 1, 0, seconds),
    titles: spliced(version.titles, at + 1, 0, ""),
    thumbnails: spliced(version.thumbnails, at + 1, 0, null),
  };
}

export function join(version, story) {
  if (story < 1) return null;
  return {
    ...version,
    starts: spliced(version.starts, story, 1),
    titles: spliced(version.titles, story, 1),
    thumbnails: spliced(version.thumbnails, story, 1),
  };
}

export function move(version, story, seconds, duration) {
  const [before, after] = [version.starts[story - 1], version.starts[story + 1] ?? duration];
  if (story < 1 || !(before < seconds && seconds < after)) return null;
  return { ...version, starts: spliced(version.starts, story, 1, seconds) };
}

export const retitle = (version, story, title) =>
  ({ ...version, titles: spliced(version.titles, story, 1, title) });
export const showBy = (version, story, seconds) =>
  ({ ...version, thumbnails: spliced(version.thumbnails, story, 1, seconds) });

// Switches to other boundaries. Titles and pictures that a person chose stay with the stories
// that both versions have.
export function regrouped(version, original, next) {
  const result = { ...next, titles: [...next.titles], thumbnails: [...next.thumbnails] };
  version.starts.forEach((start, n) => {
    const place = next.starts.findIndex((each) => Math.abs(each - start) < SAME);
    const before = original.starts.findIndex((each) => Math.abs(each - start) < SAME);
    if (place < 0) return;
    if (version.titles[n] && version.titles[n] !== original.titles[before]) {
      result.titles[place] = version.titles[n];
    }
    result.thumbnails[place] = version.thumbnails[n] ?? result.thumbnails[place];
  });
  return result;
}

// Adds titles that the server computed later to the stories that nobody has named by then.
export function fillTitles(version, found) {
  const titles = new Map(found.map((story) => [story.start.toFixed(2), story.title]));
  return { ...version, titles: version.titles.map((title, n) =>
    title || titles.get(version.starts[n].toFixed(2)) || "") };
}

export class History {
  #past = [];
  #future = [];

  constructor(version, kept = version) {
    this.now = version;
    this.kept = kept;
  }

  push(version) {
    this.#past.push(this.now);
    this.#future = [];
    this.now = version;
  }

  replace(version) { this.now = version; }
  undo() { return this.#step(this.#past, this.#future); }
  redo() { return this.#step(this.#future, this.#past); }
  saved() { this.kept = this.now; }
  get changed() { return JSON.stringify(bodyOf(this.now)) !== JSON.stringify(bodyOf(this.kept)); }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }

  #step(from, to) {
    if (!from.length) return false;
    to.push(this.now);
    this.now = from.pop();
    return true;
  }
}
