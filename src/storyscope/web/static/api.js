// The server: every call can be aborted, every refusal is told in its own words.
export const api = (path) => `/api/v1${path}`;
export const videoPath = (id) => `/videos/${encodeURIComponent(id)}`;
export const picture = (video, seconds) =>
  api(`${videoPath(video)}/picture?at=${Math.max(0, seconds).toFixed(3)}`);

export class Refused extends Error {
  constructor(status, kind, detail) {
    super(detail);
    Object.assign(this, { status, kind });
  }
}

export class Unreachable extends Error {
  constructor() {
    super("The server is not responding. Is “storyscope serve” still running?");
  }
}

export async function ask(path, options = {}) {
  let response;
  try {
    // No form of another site can send this header: the server wants it for every change.
    const headers = { ...options.headers, "X-Storyscope": "1" };
    response = await fetch(api(path), { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Unreachable();
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

export async function get(path, options = {}) {
  const response = await ask(path, options);
  return response.status === 204 ? null : response.json();
}

export function send(method, path, body, headers = {}) {
  return get(path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

export async function refusal(response) {
  const facts = await response.json().catch(() => ({}));
  if (response.status === 401) {
    return new Refused(401, "TokenWanted",
      "This library is private. Open the address that “storyscope serve” printed.");
  }
  const told = typeof facts.detail === "string" ? facts.detail : "";
  return new Refused(response.status, facts.error ?? "",
    sentence(told) || `The server responded with error ${response.status}.`);
}

// Messages of the server as the page writes them: they begin in lower case, with `code` in ticks.
export const sentence = (told = "") => told.replace(/^[a-z]+(?= )/,
  (word) => word[0].toUpperCase() + word.slice(1)).replace(/`([^`]*)`/g, "“$1”");

export const wasAborted = (error) => error?.name === "AbortError";

// Live progress of indexing and learning, shared by all views.
const listeners = new Set();
let source = null;
let last = null;

export function onEvents(listener, signal) {
  listeners.add(listener);
  if (last) listener(last);
  if (!source) {
    source = new EventSource(api("/events"));
    source.onmessage = (event) => {
      last = JSON.parse(event.data);
      for (const listener of [...listeners]) listener(last);
    };
  }
  signal?.addEventListener("abort", () => listeners.delete(listener), { once: true });
}
