// The export dialog: formats grouped by purpose, with a preview of text formats.
import { ask, get, sentence, wasAborted } from "./api.js";
import { make, plural, toast, withIcon } from "./dom.js";
import { openDialog } from "./dialogs.js";

/** @type {[string, string[]][]} */
const GROUPS = [
  ["Players", ["webvtt", "matroska", "ffmetadata", "kodi", "jellyfin", "thumbnails", "mp4", "mkv"]],
  ["Editors", ["edl", "otio", "fcpxml", "fcp7", "premiere", "resolve", "avid", "audacity", "clips",
    "clips-exact"]],
  ["Publishing", ["youtube", "podcast", "html", "sheet", "iiif", "web-annotation"]],
  ["Research", ["csv", "json", "eaf", "textgrid"]],
];
/** @type {Record<string, string>} */
const LABELS = {
  webvtt: "WebVTT", matroska: "Matroska XML", ffmetadata: "FFmpeg metadata", kodi: "Kodi",
  jellyfin: "Jellyfin", thumbnails: "Thumbnail track", mp4: "MP4 with chapters",
  mkv: "MKV with chapters", edl: "EDL", otio: "OpenTimelineIO", fcpxml: "Final Cut Pro",
  fcp7: "Final Cut Pro 7", premiere: "Premiere Pro", resolve: "DaVinci Resolve",
  avid: "Avid Media Composer", audacity: "Audacity labels", clips: "Clips",
  "clips-exact": "Clips, exact", youtube: "YouTube description", podcast: "Podcast chapters",
  html: "Web page", sheet: "Contact sheet", iiif: "IIIF", "web-annotation": "Web Annotation",
  csv: "CSV", json: "JSON", eaf: "ELAN", textgrid: "Praat TextGrid",
};
const MOST_SHOWN = 20_000;

export async function openExport(state, { signal }) {
  const { formats } = await get("/formats", { signal });
  const text = make("textarea", { readonly: true, rows: 14, "aria-label": "Preview",
    spellcheck: "false" });
  const about = make("p", { class: "small soft" });
  const wrong = make("p", { class: "warn small", role: "alert" });
  const copy = withIcon("copy", "Copy", copyText, { disabled: true });
  const save = withIcon("download", "Download", () => download(), { class: "main" });
  const grouped = groupsOf(formats);
  const picker = make("div", { class: "formats", role: "radiogroup", "aria-label": "Format" },
    ...grouped.map(([title, group]) => make("fieldset", {}, make("legend", {}, title),
      ...group.map((format) => make("label", { class: "format" },
        make("input", { type: "radio", name: "format", value: format.name,
          onchange: () => choose(format) }),
        make("span", {}, make("b", {}, LABELS[format.name] ?? format.name),
          make("span", { class: "small soft" }, sentence(format.summary))))))));
  const what = `${plural(state.now.starts.length, "story", "stories")} · ${state.label}`;
  const dialog = openDialog("Export", make("div", { class: "export" }, picker,
    make("div", { class: "export-preview" }, make("p", { class: "small" }, what), about, text,
      wrong, make("div", { class: "tools end" }, copy, save))), { wide: true });
  let chosen = null;
  let turn = 0;
  const first = grouped[0][1][0];
  dialog.querySelector(`input[value="${first.name}"]`).checked = true;
  choose(first);

  async function choose(format) {
    const mine = ++turn;
    chosen = format;
    wrong.textContent = "";
    about.textContent = format.loses ? `Not kept in this format: ${format.loses}.` : "";
    text.hidden = copy.disabled = !format.text;
    save.disabled = false;
    if (!format.text) return;
    text.value = "…";
    try {
      const [path, options] = state.exportRequest(format.name);
      const written = await (await ask(path, { ...options, signal })).text();
      if (mine !== turn) return;
      text.value = written.length > MOST_SHOWN ? `${written.slice(0, MOST_SHOWN)}\n…` : written;
      text.dataset.whole = written;
    } catch (error) {
      if (wasAborted(error) || mine !== turn) return;
      [text.hidden, copy.disabled, save.disabled] = [true, true, true];
      wrong.textContent = error.message;
    }
  }

  async function copyText() {
    const whole = text.dataset.whole ?? text.value;
    const done = await navigator.clipboard?.writeText(whole).then(() => true, () => false);
    if (!done) {
      text.select();
      document.execCommand("copy");
    }
    toast("Copied");
  }

  // Downloads with `fetch` rather than a link, so that an error is shown here and not as a page.
  async function download() {
    const [path, options] = state.exportRequest(chosen.name);
    save.disabled = true;
    wrong.textContent = "";
    try {
      const answer = await ask(path, options);
      const header = answer.headers.get("content-disposition") ?? "";
      const file = /filename="([^"]+)"/.exec(header)?.[1] ?? `${state.id}-${chosen.name}`;
      const address = URL.createObjectURL(await answer.blob());
      make("a", { href: address, download: file }).click();
      setTimeout(() => URL.revokeObjectURL(address), 60_000);
      toast(`Downloaded ${file}`);
    } catch (error) {
      wrong.textContent = error.message;
    } finally {
      save.disabled = false;
    }
  }
}

function groupsOf(formats) {
  const byName = new Map(formats.map((format) => [format.name, format]));
  const groups = GROUPS.map(([title, names]) =>
    [title, names.map((name) => byName.get(name)).filter(Boolean)]);
  const known = new Set(GROUPS.flatMap(([, names]) => names));
  const others = formats.filter(({ name }) => !known.has(name));
  return [...groups, ["Other", others]].filter(([, group]) => group.length);
}

export const exportButton = (state, options) =>
  withIcon("download", "Export", () => openExport(state, options).catch((error) => {
    if (!wasAborted(error)) toast(error.message);
  }));
