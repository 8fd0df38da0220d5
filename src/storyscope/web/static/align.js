// Compares two versions: which boundaries they share, and which stories correspond.
const NEAR = 0.5;

// The boundaries of both versions in order of time; `only` is "first", "second" or "both".
export function alignBoundaries(first, second, near = NEAR) {
  const [a, b] = [first.slice(1), second.slice(1)];
  const taken = new Set();
  const rows = a.map((start) => {
    const partner = nearestFree(b, start, near, taken);
    if (partner < 0) return { at: start, only: "first" };
    taken.add(partner);
    return { at: start, other: b[partner], only: "both" };
  });
  b.forEach((start, n) => { if (!taken.has(n)) rows.push({ at: start, only: "second" }); });
  return rows.sort((x, y) => x.at - y.at);
}

function nearestFree(starts, seconds, near, taken) {
  let best = -1;
  starts.forEach((start, n) => {
    const apart = Math.abs(start - seconds);
    if (apart > near || taken.has(n)) return;
    if (best < 0 || apart < Math.abs(starts[best] - seconds)) best = n;
  });
  return best;
}

// For each story of a version, the index of the reference story that it overlaps most.
export function partners(reference, starts, duration) {
  const end = (list, n) => list[n + 1] ?? duration;
  return starts.map((start, n) => {
    let [best, most] = [0, 0];
    reference.forEach((begin, m) => {
      const shared = Math.min(end(starts, n), end(reference, m)) - Math.max(start, begin);
      if (shared > most) [best, most] = [m, shared];
    });
    return best;
  });
}

export const differing = (rows) => rows.filter(({ only }) => only !== "both");
