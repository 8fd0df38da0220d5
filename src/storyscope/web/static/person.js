// What this browser remembers of the person: name, theme, drafts, versions saved, places watched.
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

// Why a name cannot be used, or "".
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

// The tag of the version this browser saved last: who has it may replace that version.
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
