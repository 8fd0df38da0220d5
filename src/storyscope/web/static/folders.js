// Browses the folders on the server that `storyscope serve --media` shares, to add videos.
import { get, send } from "./api.js";
import { openDialog } from "./dialogs.js";
import { button, make, plural, toast } from "./dom.js";
import { icon } from "./icons.js";

export function openFolders() {
  const trail = make("nav", { class: "trail small", "aria-label": "Folder" });
  const list = make("ul", { class: "files" });
  const wrong = make("p", { class: "warn small", role: "alert" });
  const picked = new Set();
  const add = button("Add", bring, { class: "main", disabled: true });
  const dialog = openDialog("Add from folder", make("div", {}, trail, list, wrong,
    make("div", { class: "tools end" }, button("Cancel", () => dialog.close()), add)),
  { wide: true });
  look("");

  async function look(path) {
    wrong.textContent = "";
    try {
      const facts = await get(`/folders?path=${encodeURIComponent(path)}`);
      draw(path, facts);
    } catch (error) { wrong.textContent = error.message; }
  }

  function draw(path, { folders, videos }) {
    const parts = path.split("/").filter(Boolean);
    trail.replaceChildren(button("Media folders", () => look("")),
      ...parts.map((part, n) =>
        button(part, () => look(parts.slice(0, n + 1).join("/")))));
    const none = make("li", { class: "soft" }, path ? "No videos here."
      : "No media folders are shared. Start the server with "
        + "“storyscope serve --media FOLDER”.");
    list.replaceChildren(
      ...folders.map(({ name, path: to }) => make("li", {},
        make("button", { type: "button", class: "file", onclick: () => look(to) },
          icon("folder"), name))),
      ...(videos.filter(({ known }) => !known).length > 1 ? [make("li", {},
        make("label", { class: "file" }, all(videos), make("b", {}, "Select all")))] : []),
      ...videos.map((video) => make("li", {}, make("label", { class: "file" }, pick(video),
        make("span", {}, video.name), video.known
          ? make("span", { class: "small soft" }, "in the library") : null))),
      ...(folders.length || videos.length ? [] : [none]));
  }

  function pick({ path, known }) {
    const box = make("input", { type: "checkbox", checked: picked.has(path), disabled: known,
      value: path, onchange: () => mark([path], box.checked) });
    return box;
  }

  function all(videos) {
    const paths = videos.filter(({ known }) => !known).map(({ path }) => path);
    const box = make("input", { type: "checkbox", checked: paths.every((path) => picked.has(path)),
      onchange: () => mark(paths, box.checked) });
    return box;
  }

  function mark(paths, on) {
    for (const path of paths) picked[on ? "add" : "delete"](path);
    for (const each of list.querySelectorAll("input[value]")) each.checked = picked.has(each.value);
    add.disabled = !picked.size;
    add.textContent = picked.size ? `Add ${plural(picked.size, "video")}` : "Add";
  }

  async function bring() {
    try {
      let queued = 0;
      for (const path of picked) queued += (await send("POST", "/videos", { path })).jobs.length;
      toast(`${plural(queued, "video")} queued`);
      dialog.close();
    } catch (error) { wrong.textContent = error.message; }
  }
}
