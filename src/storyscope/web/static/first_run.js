// The start page of an empty library.
import { send } from "./api.js";
import { button, make, toast, withIcon } from "./dom.js";
import { openFolders } from "./folders.js";
import { icon } from "./icons.js";

const STEPS = [
  ["upload", "Add a video", "Upload a file, drop it here, or pick one from a media folder."],
  ["film", "Storyscope finds its stories", "Each gets a title, keywords and its best picture."],
  ["search", "Watch, search, share", "Search by text or image and jump to the exact moment."],
];

export function firstRun(choose) {
  const demo = button("Try the demo film", async () => {
    demo.disabled = true;
    try {
      await send("POST", "/demo");
      // Generating it takes half a minute; after that it is indexed like any other video.
      demo.textContent = "Making the demo film…";
    } catch (error) {
      demo.disabled = false;
      toast(error.message);
    }
  });
  return make("div", { class: "first-run wide" },
    make("div", { class: "drop-here" }, icon("upload"),
      make("h2", {}, "Drop a video here"),
      make("p", { class: "soft" }, "MP4, MKV, MOV, WebM, AVI and most other formats"),
      make("div", { class: "tools middle" },
        withIcon("upload", "Choose a video", choose, { class: "main" }),
        withIcon("folder", "Add from folder", () => openFolders()), demo)),
    make("ol", { class: "steps" }, ...STEPS.map(([sign, title, words]) =>
      make("li", {}, icon(sign), make("b", {}, title),
        make("span", { class: "soft small" }, words)))));
}
