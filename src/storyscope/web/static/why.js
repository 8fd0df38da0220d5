// "Why here?": the confidence of an automatic boundary, and which cues contributed to it.
import { clock, make } from "./dom.js";

const SAME = 0.05;

// The automatic boundary nearest to a time; `labels` are the display names of the cues.
export function reasonFor({ boundaries, labels = {} }, seconds) {
  const apart = (each) => Math.abs(each.start - seconds);
  const nearest = boundaries.reduce(
    (best, each) => (!best || apart(each) < apart(best) ? each : best), null);
  return nearest && { ...nearest, labels, other: apart(nearest) > SAME };
}

export function reasonLine(reason, origin) {
  if (reason.other) {
    return `${origin}. The nearest automatic boundary is at ${clock(reason.start)}.`;
  }
  const [first, second] = strongest(reason).filter(([, share]) => share > 0)
    .map(([cue]) => reason.labels[cue] ?? cue.replaceAll("_", " "));
  const because = first ? ` · mostly ${first}${second ? `, then ${second}` : ""}` : "";
  return `${(100 * reason.confidence).toFixed(0)}% sure${because}`;
}

export function reasonBars(reason) {
  const widest = Math.max(...Object.values(reason.cues).map(Math.abs), 1e-9);
  return make("dl", { class: "cues" }, ...strongest(reason).flatMap(([cue, share]) => [
    make("dt", {}, reason.labels[cue] ?? cue.replaceAll("_", " ")),
    make("dd", {}, make("span", {
      class: share < 0 ? "against" : "for", style: { "--share": Math.abs(share) / widest },
    }), make("span", { class: "much" }, signed(share))),
  ]));
}

const strongest = (reason) => Object.entries(reason.cues).sort((a, b) => b[1] - a[1]);

function signed(share) {
  const points = Math.round(100 * Math.abs(share));
  return `${!points ? "" : share < 0 ? "−" : "+"}${points}%`;
}
