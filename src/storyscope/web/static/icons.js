// Line icons on a 24-pixel grid.
const PATHS = {
  play: "M8 5v14l11-7z", pause: "M7 5h3v14H7zM14 5h3v14h-3z",
  volume: "M4 9h4l5-4v14l-5-4H4zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  mute: "M4 9h4l5-4v14l-5-4H4zM16 9l5 6M21 9l-5 6",
  captions: "M3 6h18v12H3zM7 14h5M14 14h3M7 11h3M12 11h5",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  shrink: "M9 4v5H4M20 9h-5V4M15 20v-5h5M4 15h5v5",
  previous: "M6 5v14M19 5l-9 7 9 7z", next: "M18 5v14M5 5l9 7-9 7z",
  more: "M5 12h.01M12 12h.01M19 12h.01", close: "M6 6l12 12M18 6L6 18",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4", split: "M12 4v16M8 8l-4 4 4 4M16 8l4 4-4 4",
  join: "M4 12h5M15 12h5M7 9l3 3-3 3M17 9l-3 3 3 3",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 0 1 0 10h-3",
  redo: "M16 5l4 4-4 4M20 9H10a5 5 0 0 0 0 10h3", left: "M14 6l-6 6 6 6", right: "M10 6l6 6-6 6",
  star: "M12 4l2.4 5 5.6.7-4.1 3.9 1 5.6-4.9-2.7-4.9 2.7 1-5.6L4 9.700l5.600-.7z",
  trash: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  upload: "M12 16V5M7 10l5-5 5 5M4 19h16", folder: "M3 6h6l2 2h10v11H3z",
  download: "M12 4v11M7 10l5 5 5-5M4 19h16",
  link: "M9 15l6-6M8 12l-3 3a3 3 0 0 0 4 4l3-3M16 12l3-3a3 3 0 0 0-4-4l-3 3",
  light: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1"
    + ".500 1.500M17.500 17.500L19 19M19 5l-1.500 1.500M6.500 17.500L5 19",
  dark: "M19 14A8 8 0 0 1 10 5a8 8 0 1 0 9 9z", system: "M4 5h16v11H4zM9 20h6M12 16v4",
  check: "M5 12l5 5 9-10",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  film: "M4 5h16v14H4zM8 5v14M16 5v14M4 10h4M4 14h4M16 10h4M16 14h4",
  again: "M20 12a8 8 0 1 1-2.500-5.800M20 3v4h-4",
  search: "M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM15.500 15.500L20 20",
  image: "M4 5h16v14H4zM8 10h.01M5 18l5-5 3 3 3-4 4 5", compare: "M4 7h16M4 12h10M4 17h13",
  person: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM5 20a7 7 0 0 1 14 0",
  text: "M5 6h14M5 11h14M5 16h9",
  list: "M9 6h11M9 12h11M9 18h11M4.500 6h.01M4.500 12h.01M4.500 18h.01",
  warn: "M12 4l9 16H3zM12 10v4M12 17h.01",
};
const FILLED = new Set(["play", "pause"]);

export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("glyph");
  if (FILLED.has(name)) svg.classList.add("filled");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", PATHS[name] ?? "");
  svg.append(path);
  return svg;
}
