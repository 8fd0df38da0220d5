// Preview thumbnails from one sprite sheet per video, fast enough to follow the pointer.
import { api, picture, videoPath } from "./api.js";

const sheets = new Map();
const CUE = /^(\d+:)?(\d+):([\d.]+) -->.*\n.*#xywh=(\d+),(\d+),(\d+),(\d+)$/gm;

// Returns a function that shows the picture at a time in an element, scaled to its width.
export function spriteSheet(id) {
  if (!sheets.has(id)) sheets.set(id, open(id));
  return sheets.get(id);
}

function open(id) {
  let tiles = [];
  let [wide, high] = [1, 1];
  let waiting = null;
  fetch(api(`${videoPath(id)}/sprites.vtt`))
    .then((answer) => (answer.ok ? answer.text() : ""))
    .then((text) => {
      tiles = [...text.matchAll(CUE)].map(([, hours, minutes, seconds, ...box]) => ({
        start: 3600 * parseInt(hours ?? "0", 10) + 60 * Number(minutes) + Number(seconds),
        box: box.map(Number),
      }));
      wide = Math.max(...tiles.map(({ box: [x, , w] }) => x + w));
      high = Math.max(...tiles.map(({ box: [, y, , h] }) => y + h));
      if (waiting) lay(...waiting);
    })
    .catch(() => {});

  function lay(element, seconds, width) {
    const tile = tiles.findLast(({ start }) => start <= seconds + 0.01);
    const style = element.style;
    if (!tile) {
      // Until the sheet is loaded, show a single picture.
      waiting = tiles.length ? null : [element, seconds, width];
      style.backgroundImage = `url("${picture(id, seconds)}")`;
      style.backgroundSize = "cover";
      return;
    }
    const [x, y, w, h] = tile.box;
    const scale = width / w;
    style.width = `${width}px`;
    style.height = `${h * scale}px`;
    style.backgroundImage = `url("${api(`${videoPath(id)}/sprites.jpg`)}")`;
    style.backgroundPosition = `-${x * scale}px -${y * scale}px`;
    style.backgroundSize = `${wide * scale}px ${high * scale}px`;
  }
  return lay;
}
