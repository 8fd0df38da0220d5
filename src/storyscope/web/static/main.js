// Entry point: header, search box, theme and routes.
import { empty, iconButton, link, make, toast } from "./dom.js";
import { askName } from "./dialogs.js";
import { icon } from "./icons.js";
import { inField, showKeys } from "./keys.js";
import { showLearn } from "./learn.js";
import { showLibrary } from "./library.js";
import { myName, setTheme, theme } from "./person.js";
import { go, start } from "./router.js";
import { showImageSearch, showSearch } from "./search.js";
import { showWatch } from "./watch.js";
import { wasAborted } from "./api.js";

const box = /** @type {HTMLInputElement} */ (document.getElementById("q"));
const view = document.getElementById("view");
let dropped = null;
let typing;

function headerTools() {
  const place = document.getElementById("header-tools");
  const next = { system: "light", light: "dark", dark: "system" };
  const words = { system: "Theme: system", light: "Theme: light", dark: "Theme: dark" };
  const switcher = iconButton(theme(), words[theme()], () => {
    setTheme(next[theme()]);
    switcher.replaceChildren(icon(theme()));
    switcher.title = words[theme()];
    switcher.setAttribute("aria-label", words[theme()]);
  });
  const person = make("button", { type: "button", class: "person", onclick: askName });
  const named = () => {
    person.hidden = !myName();
    person.title = `You are ${myName()}. Change your name`;
    person.setAttribute("aria-label", person.title);
    person.replaceChildren(icon("person"), make("span", {}, myName()));
  };
  named();
  document.addEventListener("named", named);
  place.append(link("/learn", "Learn", { class: "quiet" }), person, switcher,
    make("button", { type: "button", class: "icon", title: "Keyboard shortcuts (?)",
      "aria-label": "Keyboard shortcuts", onclick: showKeys }, "?"));
}

function shown(pathname, params) {
  clearTimeout(typing);
  const words = params.get("q") ?? "";
  // While somebody is typing, the search box is newer than the address.
  if (document.activeElement !== box || box.value.trim() !== words) {
    if (document.activeElement !== box || !searching) box.value = words;
  }
  searching = false;
  for (const each of document.querySelectorAll("header a")) {
    if (each.getAttribute("href") === pathname) each.setAttribute("aria-current", "page");
    else each.removeAttribute("aria-current");
  }
}

let searching = false;
function search(now) {
  clearTimeout(typing);
  typing = setTimeout(() => {
    const text = box.value.trim();
    const onSearch = location.pathname === "/search";
    const params = new URLSearchParams(onSearch ? location.search : "");
    params.delete("like");
    params.set("q", text);
    const address = text ? `/search?${params}` : "/";
    // The view is already shown: drawing it again would lose the keyboard focus.
    if (address === location.pathname + location.search) return;
    if (!text && !onSearch) return;
    searching = true;
    go(address, { replace: onSearch });
  }, now ? 0 : 40);
}

function imageSearch(file) {
  if (!file?.type.startsWith("image/")) return;
  dropped = file;
  go("/search/image");
}

box.addEventListener("input", () => search(false));
box.form.addEventListener("submit", (event) => {
  event.preventDefault();
  search(true);
});
const image = /** @type {HTMLInputElement} */ (document.getElementById("image"));
document.getElementById("image-button").addEventListener("click", () => image.click());
image.addEventListener("change", () => { imageSearch(image.files[0]); image.value = ""; });
document.addEventListener("dragover", (event) => {
  if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const [file] = event.dataTransfer?.files ?? [];
  if (!file || event.defaultPrevented) return;
  event.preventDefault();
  imageSearch(file);
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target === box) view.focus();
  if (inField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "?") showKeys();
  if (event.key !== "/") return;
  event.preventDefault();
  box.focus();
  box.select();
});
addEventListener("unhandledrejection", (event) => {
  if (!wasAborted(event.reason)) toast(event.reason?.message ?? "Something went wrong");
});

async function byImage(route) {
  if (dropped) return showImageSearch({ ...route, image: dropped });
  route.view.replaceChildren(empty("Search by image",
    "Drop an image anywhere on the page, or use the image button in the search box.",
    link("/", "Back to the library", { class: "button" })));
}

// Focus the content from script: following the link would change the hash and redraw the view.
document.querySelector("a.skip").addEventListener("click", (event) => {
  event.preventDefault();
  view.focus();
});
headerTools();
if (matchMedia("(max-width: 640px)").matches) box.placeholder = "Search";
start([
  [/^\/search\/image$/, byImage], [/^\/search$/, showSearch], [/^\/watch\/(.+)$/, showWatch],
  [/^\/learn$/, showLearn], [/^/, showLibrary],
], shown);
