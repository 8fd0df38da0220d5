// The card of a video in the library: poster, title, state and a menu of actions.
import { api, send, sentence, videoPath } from "./api.js";
import { askText, confirm } from "./dialogs.js";
import { clock, make, nameOf, percent, still, stories, toast } from "./dom.js";
import { watchedTo } from "./person.js";
import { spriteSheet } from "./sprites.js";
import { icon } from "./icons.js";

export function videoCard(video, { job, twin, selected, select, refresh }) {
  const ready = video.state === "ready";
  const shot = make("div", { class: "shot" });
  if (ready) {
    shot.append(still(api(`${videoPath(video.id)}/poster`), { loading: "lazy" }));
    scrub(shot, video);
  } else shot.append(make("div", { class: "no-picture" }, icon("film")));
  if (video.duration) shot.append(make("span", { class: "time" }, clock(video.duration)));
  const at = watchedTo(video.id);
  if (at) {
    shot.append(make("span", { class: "watched", title: `Watched to ${clock(at)}` },
      make("i", { style: { width: percent(at, video.duration) } })));
  }
  const failed = ["failed", "stopped"].includes(video.state) && !job;
  const words = ready ? stories(video.stories) : failed ? sentence(video.failure) : "Indexing…";
  const body = make("div", { class: "body" }, make("b", {}, nameOf(video)),
    make("span", { class: failed ? "small warn" : "small soft" }, words),
    twin ? make("span", { class: "small warn" }, `Same file as ${twin}`) : null);
  const box = make("input", { type: "checkbox", class: "pick", checked: selected,
    "aria-label": `Select ${nameOf(video)}`, onchange: () => select(box.checked) });
  const main = ready
    ? make("a", { class: "card-link", href: `/watch/${encodeURIComponent(video.id)}`,
      "data-link": true }, shot, body)
    : make("div", { class: "card-link" }, shot, body);
  return make("article", { class: "card", "data-id": video.id }, main, box,
    menu(video, { refresh }));
}

function menu(video, { refresh }) {
  const act = async (work, message) => {
    try {
      await work();
      if (message) toast(message);
      refresh();
    } catch (error) { toast(error.message); }
  };
  const item = (words, run) => make("button", { type: "button", role: "menuitem",
    onclick: () => { list.hidePopover(); run(); } }, words);
  const list = make("div", { class: "menu", role: "menu", popover: "auto" },
    item("Rename", () => rename(video, act)),
    item("Index again", () => act(() => send("POST", `${videoPath(video.id)}/index`), "Queued")),
    item("Delete…", () => removeVideos([video], refresh)));
  const open = make("button", { type: "button", class: "icon menu-button", "aria-haspopup": "menu",
    "aria-label": `More for ${nameOf(video)}`, onclick: () => {
      const box = open.getBoundingClientRect();
      list.showPopover();
      list.style.top = `${Math.min(box.bottom + 4, innerHeight - list.offsetHeight - 8)}px`;
      list.style.left = `${Math.max(8, box.right - list.offsetWidth)}px`;
      list.firstChild.focus();
    } }, icon("more"));
  list.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const items = [...list.children];
    const place = items.indexOf(document.activeElement);
    items[(place + step + items.length) % items.length].focus();
  });
  return make("div", { class: "card-menu" }, open, list);
}

async function rename(video, act) {
  const title = await askText("Rename video", { label: "Title", value: nameOf(video) });
  if (title) await act(() => send("PATCH", videoPath(video.id), { title }));
}

export async function removeVideos(videos, refresh) {
  const one = videos.length === 1;
  const words = one ? `Delete “${nameOf(videos[0])}”?` : `Delete ${videos.length} videos?`;
  const lost = one ? "Its stories and all saved versions are removed from the library. The "
    + "original file is kept, unless it was uploaded here."
    : "Their stories and all saved versions are removed from the library. The original files are "
    + "kept, unless they were uploaded here.";
  const sure = await confirm(words, lost, "Delete");
  if (!sure) return false;
  for (const video of videos) {
    await send("DELETE", videoPath(video.id)).catch((error) => toast(error.message));
  }
  toast(one ? "Video deleted" : `${videos.length} videos deleted`);
  refresh();
  return true;
}

// Moving the pointer across the poster scrubs through the video.
function scrub(shot, video) {
  let frame = null;
  shot.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    const { left, width } = shot.getBoundingClientRect();
    const part = Math.min(Math.max((event.clientX - left) / width, 0), 0.999);
    frame ??= make("div", { class: "scrub" });
    if (!frame.isConnected) shot.append(frame);
    spriteSheet(video.id)(frame, part * video.duration, width);
    shot.style.setProperty("--scrub", `${100 * part}%`);
    shot.classList.add("scrubbing");
  });
  shot.addEventListener("pointerleave", () => {
    frame?.remove();
    frame = null;
    shot.classList.remove("scrubbing");
  });
}
