// Fewer or more stories. Boundaries are ranked once, and N stories use the first N - 1 of them,
// so the page computes the stories itself and asks the server only for titles and pictures.
export function countAt({ order, natural }, granularity) {
  const shots = order.length + 1;
  if (granularity <= 0.5) return Math.round(natural ** (2 * granularity));
  return Math.round(natural * (shots / natural) ** (2 * granularity - 1));
}

export function startsAt(path, shots, granularity) {
  const changes = path.order.slice(0, countAt(path, granularity) - 1).sort((a, b) => a - b);
  return [0, ...changes].map((shot) => shots[shot].start);
}

// The index of the first time in a sorted list that is not before `seconds`.
export function firstFrom(times, seconds) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] < seconds) low = middle + 1;
    else high = middle;
  }
  return low;
}
