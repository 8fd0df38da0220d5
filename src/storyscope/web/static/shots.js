// The shots of the current story. A star makes a shot the story's picture. Shots that start with
// a dissolve, fade or wipe are labelled, and people can mark a wrong detection.
import { picture, send } from "./api.js";
import { clock, make, still, toast } from "./dom.js";
import { showBy } from "./edit.js";
import { rove } from "./rove.js";

const AT_ONCE = 40;
const GRADUAL = ["dissolve", "fade", "wipe"];

export function shotStrip({ state, player, change }) {
  const element = make("div", { class: "film", role: "group",
    "aria-label": "Shots of this story" });
  const stops = [".go", ".star", ".verdict"].map((kind) => rove(element, kind, "horizontal"));
  let waiting = [];
  const inside = ({ start, end }, story) => {
    const middle = (start + end) / 2;
    return story.start <= middle && middle < story.end;
  };

  function draw(place) {
    const story = state.stories()[place];
    waiting = state.shots.filter((shot) => inside(shot, story))
      .map((shot) => () => cell(shot, story, place));
    element.replaceChildren();
    more();
  }

  // A story can have hundreds of shots, so they are added as the strip is scrolled.
  function more() {
    element.append(...waiting.splice(0, AT_ONCE).map((build) => build()));
    for (const stop of stops) stop.draw();
  }

  element.addEventListener("scroll", () => {
    const left = element.scrollWidth - element.scrollLeft - element.clientWidth;
    if (waiting.length && left < element.clientWidth) more();
  }, { passive: true });
  element.addEventListener("keydown", (event) => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const cell = event.target.closest(".cell");
    if (!step || !cell) return;
    const all = [...cell.querySelectorAll("button")];
    all.at((all.indexOf(event.target) + step) % all.length).focus();
    event.preventDefault();
  });

  function cell(shot, story, place) {
    const at = shot.pictures[Math.floor(shot.pictures.length / 2)] ?? shot.start;
    const chosen = shot.pictures.includes(story.chosen);
    const cover = chosen || shot.pictures.includes(story.picture);
    const can = state.draft || state.isAutomatic;
    return make("div", { class: cover ? "cell chosen" : "cell" },
      make("button", { type: "button", class: "go", tabindex: -1,
        "aria-label": `Go to ${clock(shot.start)}`,
        onclick: (event) => {
          player.seek(shot.start);
          if (event.detail) event.currentTarget.blur();
        } },
      still(picture(state.id, at), { loading: "lazy" })),
      can ? make("button", { type: "button", class: "star", tabindex: -1,
        "aria-pressed": String(chosen), title: "Use as the picture of this story",
        "aria-label": `Use the shot at ${clock(shot.start)} as the picture of this story`,
        onclick: () => choose(place, chosen ? null : at) }, chosen ? "★" : "☆") : null,
      GRADUAL.includes(shot.transition) ? verdict(shot, place) : null);
  }

  function verdict(shot, place) {
    const sure = shot.uncertain ? "uncertain " : "";
    const wrong = `Not a new shot: the ${shot.transition} at ${clock(shot.start)} is wrong`;
    return make("button", { type: "button", class: "verdict", tabindex: -1,
      "aria-pressed": String(shot.rejected), "aria-label": wrong,
      title: shot.rejected ? "Marked as wrong. Click to undo."
        : "Not a new shot? Click if only the camera or something in the picture moves here.",
      onclick: () => judge(shot, place) },
    shot.rejected ? "no new shot" : `${sure}${shot.transition}`);
  }

  // Rejected transitions are training data for `storyscope train --shots`.
  async function judge(shot, place) {
    const number = state.shots.indexOf(shot) + 1;
    try {
      await send("PUT", `${state.path}/shots/${number}/transition`, { rejected: !shot.rejected });
      shot.rejected = !shot.rejected;
      draw(place);
      toast(shot.rejected ? "Marked as wrong. “storyscope train --shots” learns from it."
        : "No longer marked as wrong.");
    } catch (error) { toast(error.message); }
  }

  // In the automatic version the choice is saved at once, and is training data for thumbnails.
  async function choose(place, at) {
    if (state.draft) return change(showBy(state.now, place, at));
    if (at === null) return toast("To change the picture, choose another shot.");
    try {
      await send("PUT", `${state.path}/stories/${place + 1}/thumbnail`, { seconds: at });
      await state.choose(state.source);
      toast("This is now the picture of the story.");
    } catch (error) { toast(error.message); }
  }

  return { element, draw };
}
