// Tabs that follow the ARIA pattern for screen readers and keyboards.
import { make } from "./dom.js";

// Builds the tab bar and panels for `tabs`, a list of {id, title, body}.
export function tabbed(label, tabs, { onchoose = (_id) => {} } = {}) {
  const heads = tabs.map(({ id, title }) => make("button", {
    type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`,
    onclick: () => choose(id),
  }, title));
  const panels = tabs.map(({ id, body }) => make("div", {
    role: "tabpanel", id: `panel-${id}`, class: "panel-body", "aria-labelledby": `tab-${id}`,
    tabindex: 0,
  }, body));
  const bar = make("div", { class: "tabs", role: "tablist", "aria-label": label }, ...heads);
  bar.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = heads.findIndex((head) => head.getAttribute("aria-selected") === "true");
    const next = (place + step + heads.length) % heads.length;
    choose(tabs[next].id);
    heads[next].focus();
  });

  function choose(id) {
    tabs.forEach((tab, n) => {
      const on = tab.id === id;
      heads[n].setAttribute("aria-selected", String(on));
      heads[n].tabIndex = on ? 0 : -1;
      panels[n].hidden = !on;
    });
    onchoose(id);
  }

  choose(tabs[0].id);
  const head = (id) => heads[tabs.findIndex((tab) => tab.id === id)];
  const focus = () => heads.find((each) => each.tabIndex === 0).focus();
  return { bar, panels, choose, head, focus };
}
