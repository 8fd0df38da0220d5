// HTTP client of the Storyscope API. Errors carry the message that the server sent.
export const api = (path) => `/api/v1${path}`;
export const videoPath = (id) => `/videos/${encodeURIComponent(id)}`;
export const picture = (video, seconds) =>
  api(`${videoPath(video)}/picture?at=${Math.max(0, seconds).toFixed(3)}`);

export class ApiError extends Error {
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
    // CSRF protection: a form on another site cannot send this header, and the server requires it.
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
    return new ApiError(401, "TokenWanted",
      "This library is private. Open the address that “storyscope serve” printed.");
  }
  const message = typeof facts.detail === "string" ? facts.detail : "";
  return new ApiError(response.status, facts.error ?? "",
    sentence(message) || `The server responded with error ${response.status}.`);
}

// Formats a server message for the page: capitalized, with “quotes” instead of backticks.
export const sentence = (message = "") => message.replace(/^[a-z]+(?= )/,
  (word) => word[0].toUpperCase() + word.slice(1)).replace(/`([^`]*)`/g, "“$1”");

export const wasAborted = (error) => error?.name === "AbortError";

// Live progress of indexing and learning: one event stream, shared by all views.
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
