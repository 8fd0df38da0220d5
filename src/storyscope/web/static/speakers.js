// Speakers, if the video was diarized: one row each, to name, to jump to and to search by.
import { get, send } from "./api.js";
import { confirm } from "./dialogs.js";
import { button, clock, colour, link, make, percent, plural, toast } from "./dom.js";
import { icon } from "./icons.js";
import { rove } from "./rove.js";

let names = null;

// The names of all speakers in the library, cached until one is changed.
export function speakerNames() {
  names ??= get("/speakers").then((facts) => facts.names).catch(() => { names = null; return []; });
  return names;
}

export const called = ({ name, speaker }) => name || `Speaker ${speaker}`;

// The speaker at a time, or undefined.
export function speakerAt(speakers, seconds) {
  const speaks = ({ turns }) => turns.some(([start, end]) => start <= seconds && seconds < end);
  return speakers.find(speaks);
}

export function speakerRows({ state, player, changed }) {
  const { speakers } = state.video;
  const element = make("section", { class: "speakers", "aria-label": "Speakers",
    hidden: !speakers.length });
  if (speakers.length) draw();

  function draw() {
    element.replaceChildren(make("div", { class: "speakers-head" }, make("h2", {}, "Speakers"),
      button("Delete…", forget, { class: "quiet small", "aria-label": "Delete speakers…" })),
    ...speakers.map(row));
  }

  function row(who, n) {
    const input = make("input", { class: "retitle", value: who.name, maxlength: 100,
      placeholder: `Speaker ${who.speaker}`, "aria-label": `Name of speaker ${who.speaker}`,
      onchange: () => name(who, input.value.trim()),
      onkeydown: (event) => { if (event.key === "Enter") input.blur(); } });
    const turns = make("div", { class: "turns", role: "group", style: { "--tag": colour(n) },
      "aria-label": `When ${called(who)} speaks` }, ...who.turns.map(([start, end]) =>
      make("button", { type: "button", class: "turn", tabindex: -1,
        title: `${clock(start)} – ${clock(end)}`,
        "aria-label": `${called(who)}, ${clock(start)} to ${clock(end)}`,
        style: { left: percent(start, state.duration),
          width: percent(end - start, state.duration) },
        onclick: (event) => {
          player.seek(start);
          if (event.detail) event.currentTarget.blur();
        } })));
    rove(turns, ".turn", "horizontal").draw();
    const all = `Stories in which ${who.name} speaks`;
    const find = who.name ? link(`/search?${new URLSearchParams({ q: who.name })}`, icon("search"),
      { class: "icon button", title: all, "aria-label": all }) : make("span");
    return make("div", { class: "speaker" }, input, find, make("span", { class: "small soft" },
      `${clock(who.seconds)} in ${plural(who.turns.length, "turn")}`), turns);
  }

  async function name(who, given) {
    try {
      await send("PUT", `${state.path}/speakers/${who.speaker}`, { name: given });
    } catch (error) {
      draw();
      return toast(error.message);
    }
    who.name = given;
    names = null;
    draw();
    changed();
    toast(given ? `Named ${given}` : "Name removed");
  }

  async function forget() {
    const words = "When each of them speaks and their names are deleted. The video, its stories "
      + "and its transcript stay.";
    if (!await confirm("Delete the speakers of this video?", words, "Delete")) return;
    try {
      await send("DELETE", `${state.path}/speakers`);
    } catch (error) { return toast(error.message); }
    names = null;
    speakers.length = 0;
    element.hidden = true;
    changed();
    toast("Speakers deleted");
  }

  return { element };
}
