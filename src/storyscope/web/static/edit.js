// A person's version of the stories: plain values, one function a step, and the way back.
const spliced = (list, at, remove, ...items) => [...list.slice(0, at), ...items, ...list.slice(at + remove)];

export function split(version, seconds) {
  const at = version.starts.findLastIndex((start) => start <= seconds);
  if (at < 0 || version.starts.some((start) => Math.abs(start - seconds) < 0.05)) return null;
  return {
    starts: spliced(version.starts, at + 1, 0, seconds),
    titles: spliced(version.titles, at + 1, 0, ""),
    thumbnails: spliced(version.thumbnails, at + 1, 0, null),
  };
}

export function merge(version, story) {
  if (story < 1) return null;
  return { starts: spliced(version.starts, story, 1), titles: spliced(version.titles, story, 1), thumbnails: spliced(version.thumbnails, story, 1) };
}

export function move(version, story, seconds, duration) {
  const [before, after] = [version.starts[story - 1], version.starts[story + 1] ?? duration];
  if (story < 1 || !(before < seconds && seconds < after)) return null;
  return { ...version, starts: spliced(version.starts, story, 1, seconds) };
}

export const retitle = (version, story, title) => ({ ...version, titles: spliced(version.titles, story, 1, title) });
export const showBy = (version, story, seconds) => ({ ...version, thumbnails: spliced(version.thumbnails, story, 1, seconds) });

export class History {
  #past = [];
  #future = [];
  #kept;

  constructor(version) { this.now = this.#kept = version; }

  push(version) {
    this.#past.push(this.now);
    this.#future = [];
    this.now = version;
  }

  replace(version) { this.now = version; }
  undo() { return this.#step(this.#past, this.#future); }
  redo() { return this.#step(this.#future, this.#past); }
  saved() { this.#kept = this.now; }
  get changed() { return this.now !== this.#kept; }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }

  #step(from, to) {
    if (!from.length) return null;
    to.push(this.now);
    this.now = from.pop();
    return this.now;
  }
}
