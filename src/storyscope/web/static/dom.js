// Functions that every view uses: elements, times, colours and text.
import { icon } from "./icons.js";

const COLOURS = 9;

export const colour = (number) => `var(--story-${number % COLOURS})`;
export const percent = (part, whole) => `${((100 * part) / (whole || 1)).toFixed(4)}%`;

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") setStyle(element, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value);
    }
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Sets styles from script, because the Content Security Policy forbids style attributes.
export function setStyle(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
}

export const button = (words, onclick, attributes = {}) =>
  make("button", { type: "button", onclick, ...attributes }, words);

export function iconButton(name, label, onclick, attributes = {}) {
  const { key, ...rest } = attributes;
  const title = key ? `${label} (${key})` : label;
  return make("button", {
    type: "button", class: "icon", title, "aria-label": label, onclick, ...rest,
  }, icon(name));
}

export const withIcon = (name, words, onclick, attributes = {}) =>
  make("button", { type: "button", onclick, ...attributes }, icon(name), make("span", {}, words));

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const short = `${minutes}:${two(whole % 60)}`;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : short;
}

// "1 story", "2 stories", "1,204 videos".
export function plural(count, one, many = `${one}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

export const stories = (count) => plural(count, "story", "stories");

export function remaining(seconds) {
  if (!Number.isFinite(seconds)) return "";
  if (seconds < 60) return "less than a minute left";
  return `about ${plural(Math.round(seconds / 60), "minute")} left`;
}

let fading;
// Shows a message for a few seconds; `act` adds a button such as Undo.
export function toast(message, act = null) {
  const place = document.getElementById("toast");
  const undo = act && button(act.words, () => { place.classList.remove("on"); act.run(); });
  place.replaceChildren(make("span", {}, message), ...(undo ? [undo] : []));
  place.classList.add("on");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("on"), act ? 8000 : 4000);
}

// Hides the message, for example when the step that it offers to undo is no longer the last one.
export const hideToast = () => document.getElementById("toast").classList.remove("on");

// An image, replaced by a film icon if it cannot be loaded. `src` is set last, because
// `loading="lazy"` has no effect when it is set after the source.
export const still = (src, attributes = {}) => make("img", { alt: "", ...attributes,
  onerror: ({ target }) => target.replaceWith(make("div", { class: "no-picture" }, icon("film"))),
  src,
});

export const empty = (title, words, ...actions) =>
  make("div", { class: "empty" }, make("h1", {}, title), make("p", {}, words),
    make("div", { class: "tools middle" }, ...actions));

export const link = (href, words, attributes = {}) =>
  make("a", { href, "data-link": true, ...attributes }, words);

// A readable form of an id: "big-buck-bunny" becomes "Big Buck Bunny".
export const readable = (id) => (/[-_]/.test(id) ? id.split(/[-_]+/).filter(Boolean)
  .map((word) => word[0].toUpperCase() + word.slice(1)).join(" ") : id);

// The name under which the page shows a video.
export const nameOf = (video) => video.title || readable(video.id);
