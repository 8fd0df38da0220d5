// Local storage: the person's name, theme, drafts, saved versions and playback positions.
const read = (key, otherwise) => {
  try { return JSON.parse(localStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
};
const write = (key, value) => {
  if (value === null) localStorage.removeItem(key);
  else localStorage.setItem(key, JSON.stringify(value));
};
const RESERVED = ["machine", "automatic", "consensus", "storyscope"];

export const myName = () => read("name", "");
export const setMyName = (name) => write("name", name);

// Explains why a name cannot be used; empty if it can.
export function wrongName(name) {
  if (!/[\p{L}\p{N}]/u.test(name)) return "A name needs at least one letter or digit.";
  if (/[/\\]/.test(name)) return "A name cannot contain slashes.";
  if (RESERVED.includes(name.toLowerCase())) {
    return `“${name}” is reserved. Choose another name.`;
  }
  return "";
}

export const draftOf = (video) => read(`draft:${video}`, null);
export const keepDraft = (video, source, version) =>
  write(`draft:${video}`, { source, version, at: Date.now() });
export const dropDraft = (video) => write(`draft:${video}`, null);

// The ETag of the version that this browser saved last, which it may replace without asking.
const tagKey = (video, name) => `saved:${video}:${name}`;
export const savedTag = (video, name) => read(tagKey(video, name), null);
export const setSavedTag = (video, name, tag) => write(tagKey(video, name), tag);

export const watchedTo = (video) => read(`at:${video}`, 0);
export const setWatchedTo = (video, seconds, duration) =>
  write(`at:${video}`, seconds > 5 && seconds < duration - 5 ? Math.round(seconds) : null);

export const theme = () => read("theme", "system");
export function setTheme(name) {
  write("theme", name === "system" ? null : name);
  if (name === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
}

export const preference = (name, otherwise) => read(`prefer:${name}`, otherwise);
export const prefer = (name, value) => write(`prefer:${name}`, value);
