// "Why here?": how sure the machine is of a boundary, and which cues speak for it or against it.
import { clock, make } from "./dom.js";

const NAMES = {
  appearance: "what is seen", colour: "colours", hue: "colours", audio: "sound", speech: "voice",
  time: "rhythm of the cutting", text_concepts: "what is spoken of", visual_concepts: "what is shown",
};
const SAME = 0.05;

// `boundaries` are the machine's own; a boundary that a person drew is told apart from them.
export function reasonFor(boundaries, seconds) {
  const nearest = boundaries.reduce((best, each) => (!best || Math.abs(each.start - seconds) < Math.abs(best.start - seconds) ? each : best), null);
  return nearest && { ...nearest, own: Math.abs(nearest.start - seconds) > SAME };
}

export function reasonLine(reason) {
  if (reason.own) return `Drawn by hand; the machine's nearest boundary is at ${clock(reason.start)}`;
  const [first, second] = spoken(reason).filter(([, share]) => share > 0).map(([cue]) => NAMES[cue] ?? cue);
  return `${(100 * reason.confidence).toFixed(0)} % sure${first ? ` · mostly by ${first}${second ? `, then ${second}` : ""}` : ""}`;
}

export function reasonBars(reason) {
  const widest = Math.max(...Object.values(reason.cues).map(Math.abs), 1e-9);
  return make("div", { class: "reason" },
    make("p", { class: "small" }, reason.own ? make("span", { class: "soft" }, `Drawn by hand. The machine's nearest boundary, at ${clock(reason.start)}: `) : null,
      make("b", {}, `${(100 * reason.confidence).toFixed(0)} % sure`)),
    make("dl", { class: "cues" }, ...spoken(reason).flatMap(([cue, share]) => [
      make("dt", {}, NAMES[cue] ?? cue.replace("_", " ")),
      make("dd", {}, make("span", { class: share < 0 ? "against" : "for", style: `--share:${Math.abs(share) / widest}` }),
        make("span", { class: "much" }, signed(share))),
    ])));
}

const spoken = (reason) => Object.entries(reason.cues).sort((a, b) => b[1] - a[1]);

function signed(share) {
  const percent = Math.round(100 * Math.abs(share));
  return `${!percent ? "" : share < 0 ? "−" : "+"}${percent} %`;
}
