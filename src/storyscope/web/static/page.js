// The page: which view is shown is in the address, so that every state can be kept and shared.
import { make, tell } from "./dom.js";
import { showLibrary } from "./library.js";
import { showSearch } from "./search.js";
import { showWatch } from "./watch.js";

const view = document.getElementById("view");
const box = document.getElementById("q");
let leave = () => {};

export async function go(address, { replace = false } = {}) {
  history[replace ? "replaceState" : "pushState"](null, "", address);
  await show();
}

async function show() {
  leave();
  leave = () => {};
  const { pathname, searchParams } = new URL(location.href);
  const words = searchParams.get("q") ?? "";
  if (document.activeElement !== box) box.value = pathname === "/search" ? words : "";
  view.setAttribute("aria-busy", "true");
  try {
    const shown =
      pathname === "/search" ? await showSearch(view, words)
      : pathname.startsWith("/watch/") ? await showWatch(view, decodeURIComponent(pathname.slice(7)), searchParams, show)
      : await showLibrary(view);
    leave = shown ?? leave;
  } catch (error) {
    view.replaceChildren(make("div", { class: "empty" }, make("h1", {}, "That did not work"), make("p", {}, error.message), make("a", { class: "button", href: "/", "data-link": true }, "Back to the library")));
  } finally {
    view.removeAttribute("aria-busy");
  }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-link]");
  if (link && !event.metaKey && !event.ctrlKey && event.button === 0) {
    event.preventDefault();
    go(link.getAttribute("href"));
    view.focus({ preventScroll: true });
    scrollTo(0, 0);
  }
});

let typing;
function ask(now) {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const text = box.value.trim();
    const replace = location.pathname === "/search";
    const address = text ? `/search?q=${encodeURIComponent(text)}` : "/";
    // What is shown already stays as it is, and with it where the keyboard is.
    if (address !== location.pathname + location.search) go(address, { replace });
  }, now ? 0 : 60);
}
box.addEventListener("input", () => ask(false));
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  ask(true);
});
document.addEventListener("keydown", (event) => {
  const inField = event.target.matches("input, textarea, select");
  if (event.key === "/" && !inField) {
    event.preventDefault();
    box.focus();
    box.select();
  }
  if (event.key === "Escape" && event.target === box) view.focus();
});
addEventListener("popstate", show);
addEventListener("unhandledrejection", (event) => tell(event.reason?.message ?? "That did not work"));
show();
