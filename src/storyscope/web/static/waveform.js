// How loud the video is over time, drawn into a canvas.
export function drawWave(canvas, level, from, to, width) {
  const [scale, height] = [devicePixelRatio || 1, canvas.clientHeight || 44];
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x += 2) {
    const part = from + ((to - from) * x) / width;
    const value = level[Math.min(level.length - 1, Math.floor(part * level.length))] ?? 0;
    const tall = Math.max(1, value * (height - 4));
    pen.fillRect(x, (height - tall) / 2, 1.4, tall);
  }
}
