// Small pictures of the whole film in one sheet, for previews that keep up with the pointer.
import { api, picture } from "./dom.js";

export function spriteSheet(id, path) {
  let tiles = [];
  fetch(api(`${path}/sprites.vtt`)).then((answer) => (answer.ok ? answer.text() : "")).then((text) => {
    tiles = [...text.matchAll(/^(\d+:)?(\d+):([\d.]+) -->.*\n.*#xywh=(\d+),(\d+),(\d+),(\d+)$/gm)]
      .map(([, hours, minutes, seconds, ...box]) => ({ start: 3600 * parseInt(hours ?? "0", 10) + 60 * Number(minutes) + Number(seconds), box: box.map(Number) }));
  }).catch(() => {});

  return (element, seconds) => {
    const tile = tiles.findLast(({ start }) => start <= seconds + 0.01);
    if (!tile) {
      element.style.backgroundImage = `url("${picture(id, seconds)}")`;
      element.style.backgroundSize = "cover";
      return;
    }
    const [x, y, width, height] = tile.box;
    Object.assign(element.style, { width: `${width}px`, height: `${height}px`, backgroundImage: `url("${api(`${path}/sprites.jpg`)}")`, backgroundPosition: `-${x}px -${y}px`, backgroundSize: "auto" });
  };
}
