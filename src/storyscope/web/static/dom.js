// Small pieces every view uses: the API, elements, times and colours.
const COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#8c510a", "#56b4e9", "#d55e00", "#6a51a3", "#b8b03a"];
const DARK_TEXT = new Set([1, 3, 5, 8, 6, 2]);

export const colour = (number) => COLOURS[number % COLOURS.length];
export const textOn = (number) => (DARK_TEXT.has(number % COLOURS.length) ? "#101418" : "#ffffff");
export const api = (path) => `/api/v1${path}`;
export const picture = (video, seconds) => api(`/videos/${encodeURIComponent(video)}/picture?at=${seconds.toFixed(3)}`);

export async function get(path, options = {}) {
  const response = await fetch(api(path), options);
  if (response.status === 204) return null;
  const facts = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(typeof facts.detail === "string" ? facts.detail : `The server answered ${response.status}`);
  return facts;
}

export const send = (method, path, body) =>
  get(path, { method, headers: { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body) });

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds + 1e-6));
  const two = (n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

let fading;
export function tell(message) {
  const place = document.getElementById("told");
  place.textContent = message;
  place.classList.add("on");
  clearTimeout(fading);
  fading = setTimeout(() => place.classList.remove("on"), 4000);
}
