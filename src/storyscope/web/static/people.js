// Speakers and faces, if they were identified: one row each, to name, to jump to and to search by.
import { api, get, send } from "./api.js";
import { confirm } from "./dialogs.js";
import { button, clock, colour, link, make, percent, plural, toast } from "./dom.js";
import { icon } from "./icons.js";
import { rove } from "./rove.js";

const SPEAKERS = { path: "speakers", title: "Speakers", noun: "speaker", verb: "speaks",
  times: "turns", time: "turn",
  kept: "When each of them speaks and their names are deleted." };
const FACES = { path: "faces", title: "Faces", noun: "face", verb: "is seen",
  times: "appearances", time: "shot",
  kept: "When each of them is seen and their names are deleted." };

const known = {};

// The names of all speakers or faces in the library, cached until one is changed.
function names(path) {
  known[path] ??= get(`/${path}`).then((facts) => facts.names)
    .catch(() => { delete known[path]; return []; });
  return known[path];
}

export const speakerNames = () => names(SPEAKERS.path);
export const faceNames = () => names(FACES.path);

const title = (word) => word[0].toUpperCase() + word.slice(1);
const calledIn = (kind, who) => who.name || `${title(kind.noun)} ${who[kind.noun]}`;
export const called = (speaker) => calledIn(SPEAKERS, speaker);

// The speaker at a time, or undefined.
export function speakerAt(speakers, seconds) {
  const speaks = ({ turns }) => turns.some(([start, end]) => start <= seconds && seconds < end);
  return speakers.find(speaks);
}

export const speakerRows = (given) => peopleRows(SPEAKERS, given);
export const faceRows = (given) => peopleRows(FACES, given);

function peopleRows(kind, { state, player, changed = () => {} }) {
  const people = state.video[kind.path];
  const element = make("section", { class: `people ${kind.path}`, "aria-label": kind.title,
    hidden: !people.length });
  if (people.length) draw();

  function draw() {
    element.replaceChildren(make("div", { class: "people-head" }, make("h2", {}, kind.title),
      button("Delete…", forget, { class: "quiet small", "aria-label": `Delete ${kind.path}…` })),
    ...people.map(row));
  }

  function row(who, n) {
    const [number, times] = [who[kind.noun], who[kind.times]];
    const input = make("input", { class: "retitle", value: who.name, maxlength: 100,
      placeholder: `${title(kind.noun)} ${number}`,
      "aria-label": `Name of ${kind.noun} ${number}`,
      onchange: () => name(who, input.value.trim()),
      onkeydown: (event) => { if (event.key === "Enter") input.blur(); } });
    const line = make("div", { class: "turns", role: "group", style: { "--tag": colour(n) },
      "aria-label": `When ${calledIn(kind, who)} ${kind.verb}` }, ...times.map(([start, end]) =>
      make("button", { type: "button", class: "turn", tabindex: -1,
        title: `${clock(start)} – ${clock(end)}`,
        "aria-label": `${calledIn(kind, who)}, ${clock(start)} to ${clock(end)}`,
        style: { left: percent(start, state.duration),
          width: percent(end - start, state.duration) },
        onclick: (event) => {
          player.seek(start);
          if (event.detail) event.currentTarget.blur();
        } })));
    rove(line, ".turn", "horizontal").draw();
    const all = `Stories in which ${who.name} ${kind.verb}`;
    const find = who.name ? link(`/search?${new URLSearchParams({ q: who.name })}`, icon("search"),
      { class: "icon button", title: all, "aria-label": all }) : make("span");
    const face = kind === FACES ? [make("img", { class: "face", alt: "", loading: "lazy",
      src: api(`${state.path}/faces/${number}/picture`) })] : [];
    return make("div", { class: "people-row" }, ...face, input, find,
      make("span", { class: "small soft" },
        `${clock(who.seconds)} in ${plural(times.length, kind.time)}`), line);
  }

  async function name(who, given) {
    try {
      await send("PUT", `${state.path}/${kind.path}/${who[kind.noun]}`, { name: given });
    } catch (error) {
      draw();
      return toast(error.message);
    }
    who.name = given;
    delete known[kind.path];
    draw();
    changed();
    toast(given ? `Named ${given}` : "Name removed");
  }

  async function forget() {
    const words = `${kind.kept} The video, its stories and its transcript stay.`;
    if (!await confirm(`Delete the ${kind.path} of this video?`, words, "Delete")) return;
    try {
      await send("DELETE", `${state.path}/${kind.path}`);
    } catch (error) { return toast(error.message); }
    delete known[kind.path];
    people.length = 0;
    element.hidden = true;
    changed();
    toast(`${kind.title} deleted`);
  }

  return { element };
}
