// Draws the loudness of the video over time.
export function drawWave(canvas, level, from, to, width) {
  const [scale, height] = [devicePixelRatio || 1, canvas.clientHeight || 44];
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.width = `${width}px`;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  context.fillStyle = getComputedStyle(canvas).color;
  for (let x = 0; x < width; x += 2) {
    const part = from + ((to - from) * x) / width;
    const value = level[Math.min(level.length - 1, Math.floor(part * level.length))] ?? 0;
    const tall = Math.max(1, value * (height - 4));
    context.fillRect(x, (height - tall) / 2, 1.4, tall);
  }
}
