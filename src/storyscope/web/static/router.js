// Router: the address decides which view is shown. Navigating aborts the old view's requests.
import { empty, link, make, withIcon } from "./dom.js";
import { ApiError, wasAborted } from "./api.js";

const view = document.getElementById("view");
let routes = [];
let current = new AbortController();
let onshow = (_pathname, _params) => {};

export function start(table, shown) {
  [routes, onshow] = [table, shown];
  addEventListener("popstate", () => show());
  document.addEventListener("click", follow);
  show();
}

export async function go(address, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  await show();
}

// Replaces the address of the current view, unless the view has already been closed.
export function rewrite(address, signal) {
  if (!signal.aborted) history.replaceState(history.state, "", address);
}

export async function show() {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const { pathname, searchParams: params } = new URL(location.href);
  const [pattern, render] = routes.find(([each]) => each.test(pathname));
  onshow(pathname, params);
  view.setAttribute("aria-busy", "true");
  if (!view.childElementCount) view.replaceChildren(waiting());
  try {
    const name = decodeURIComponent(pattern.exec(pathname)[1] ?? "");
    await render({ view, name, params, signal });
  } catch (error) {
    if (!wasAborted(error) && !signal.aborted) fail(error);
  } finally {
    if (!signal.aborted) view.removeAttribute("aria-busy");
  }
}

// A skeleton that is shown until the first response.
const waiting = () => make("div", { class: "grid", "aria-hidden": "true" },
  ...Array.from({ length: 4 }, () => make("div", { class: "card ghost" },
    make("div", { class: "shot" }), make("div", { class: "body" }))));

function fail(error) {
  const title = error.status === 404 ? "Not found"
    : error.status === 401 ? "Access link needed"
    : error instanceof ApiError ? "Something went wrong" : "No connection";
  document.title = `${title} – Storyscope`;
  view.replaceChildren(empty(title, error.message,
    withIcon("again", "Try again", () => show(), { class: "main" }),
    link("/", "Back to the library", { class: "button" })));
}

function follow(event) {
  const target = event.target.closest("a[data-link]");
  const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
  if (!target || elsewhere || event.defaultPrevented) return;
  event.preventDefault();
  go(target.getAttribute("href"));
  view.focus({ preventScroll: true });
  scrollTo(0, 0);
}
