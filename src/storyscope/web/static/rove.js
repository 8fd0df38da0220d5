// Roving tabindex: a group of elements is a single Tab stop, and arrow keys move within it.
const AXES = {
  vertical: { ArrowUp: -1, ArrowDown: 1 },
  horizontal: { ArrowLeft: -1, ArrowRight: 1 },
  pages: { PageUp: -1, PageDown: 1 },
};
const ENDS = { Home: 0, End: -1 };

// `selector` matches the elements of the group; those added later need `tabindex` -1.
export function rove(container, selector, axis = "vertical") {
  let stop = null;

  // Makes this element the Tab stop, unless the focus is already inside the group.
  function rest(element) {
    if (!element || element === stop || container.contains(document.activeElement)) return;
    settle(element);
  }

  function settle(element) {
    if (stop) stop.tabIndex = -1;
    stop = element;
    if (stop) stop.tabIndex = 0;
  }

  // Call after a redraw: makes sure that one element can be reached with Tab.
  function draw() {
    if (!stop?.isConnected || !container.contains(stop) || stop.disabled) {
      settle(container.querySelector(`${selector}:not([disabled])`));
    } else stop.tabIndex = 0;
  }

  container.addEventListener("focusin", (event) => {
    const target = event.target.closest(selector);
    if (target && target !== stop) settle(target);
  });
  container.addEventListener("keydown", (event) => {
    const step = AXES[axis][event.key];
    // In a text field, Home and End move the cursor.
    const end = event.target.matches("input") ? undefined : ENDS[event.key];
    if ((step ?? end) === undefined || !event.target.matches(selector)) return;
    const all = [...container.querySelectorAll(`${selector}:not([disabled])`)];
    event.preventDefault();
    (step ? all[all.indexOf(event.target) + step] : all.at(end))?.focus();
  });
  return { draw, rest, focus: () => stop?.focus() };
}
