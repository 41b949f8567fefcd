/* Controls for the parameters of an instrument. Each is the browser's own, so that keyboard, touch and screen reader work as
   everywhere; it shows the state and asks `tool.set` for another. A value that is not allowed is told beside it and not taken. */

import { make } from "./parts.js";
import { read, Refused, written } from "./state.js";

const TICKS = 1000; // of a logarithmic slider

let made = 0;

/** @typedef {import("./state.js").Parameter} Parameter */
/** `refresh` shows a state; `anew` even where the reader has typed what was refused.
 * @typedef {{element: HTMLElement, refresh: (state: import("./state.js").State, anew?: boolean) => void}} Control */
/** Asks for other values of some parameters; the answer is why they are refused, or nothing.
 * @typedef {(changes: Record<string, any>, how?: {isTold?: boolean, anew?: boolean}) => string | void} Set */

/** A frame with a label, and a place for what is wrong. */
function frame(parameter, control, className = "") {
  const id = `instrument-control-${++made}`;
  control.id = id;
  const label = make("label", "instrument__name", parameter.label);
  label.htmlFor = id;
  const problem = make("p", "instrument__problem");
  problem.id = `${id}-problem`;
  problem.setAttribute("role", "alert");
  control.setAttribute("aria-describedby", problem.id);
  const element = make("div", `instrument__control ${className}`.trim(), label, control, problem);
  const told = (message) => {
    if (problem.textContent !== message) problem.textContent = message;
    if (message) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  };
  return { element, label, told };
}

/** A field whose text is a parameter's value. What is refused stays there, with why, until it is mended or another value comes.
 * @param {Parameter} parameter @param {HTMLInputElement | HTMLTextAreaElement} input @param {(message: string) => void} told
 * @param {Set} set
 */
export function entry(parameter, input, told, set) {
  let isRefused = false;
  let before = "";
  const say = (message) => {
    const [first, ...rest] = message.split(parameter.name);
    isRefused = message !== "";
    told(first ? message : message && parameter.label + rest.join(parameter.name));
  };
  return {
    take() {
      try {
        say(set({ [parameter.name]: read(parameter, parameter.kind === "text" ? input.value : input.value.trim()) }, { isTold: true }) || "");
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        say(error.message);
      }
    },
    refresh(state, anew = false) {
      const text = written(parameter, state[parameter.name]);
      if (isRefused && text === before && !anew) return;
      before = text;
      if (input.value !== text) input.value = text;
      say("");
    },
  };
}

/** A slider for a number, with a field beside it for an exact one.
 * @param {Parameter} parameter @param {Set} set
 * @returns {Control}
 */
export function slider(parameter, set) {
  const { least, most } = parameter;
  const logarithmic = parameter.scale === "log";
  const step = parameter.kind === "whole" ? 1 : parameter.step;
  const ratio = Math.log(most / least);
  const exact = Object.assign(make("input", "instrument__exact"), { type: "text", inputMode: "decimal", autocomplete: "off" });
  const range = Object.assign(make("input", "instrument__range"), { type: "range" });
  range.min = String(logarithmic ? 0 : least);
  range.max = String(logarithmic ? TICKS : most);
  range.step = logarithmic ? "1" : String(step);
  const { element, told } = frame(parameter, exact, "instrument__control--slider");
  range.setAttribute("aria-label", parameter.label);
  element.append(range);
  const valueAt = () => {
    if (!logarithmic) return Number(Number(range.value).toFixed(10));
    const value = least * Math.exp((ratio * Number(range.value)) / TICKS);
    return Math.min(most, Math.max(least, Number(value.toPrecision(3)))); // the ends are least and most, but for rounding
  };
  range.addEventListener("input", () => {
    set({ [parameter.name]: valueAt() });
  });
  const typed = entry(parameter, exact, told, set);
  exact.addEventListener("change", typed.take);
  return {
    element,
    refresh(state, anew) {
      const value = state[parameter.name];
      const place = logarithmic ? String(Math.round((TICKS * Math.log(value / least)) / ratio)) : String(value);
      if (range.value !== place) range.value = place;
      range.setAttribute("aria-valuetext", written(parameter, value));
      typed.refresh(state, anew);
    },
  };
}

/** A field for a number that no slider suits, such as a seed.
 * @param {Parameter} parameter @param {Set} set
 * @returns {Control}
 */
export function number(parameter, set) {
  const input = Object.assign(make("input", "instrument__exact"), { type: "text", inputMode: "decimal", autocomplete: "off" });
  const { element, told } = frame(parameter, input);
  const typed = entry(parameter, input, told, set);
  input.addEventListener("change", typed.take);
  return { element, refresh: typed.refresh };
}

/** A box to tick.
 * @param {Parameter} parameter @param {Set} set
 * @returns {Control}
 */
export function box(parameter, set) {
  const input = Object.assign(make("input"), { type: "checkbox" });
  const element = make("label", "instrument__control instrument__box", input, make("span", "", parameter.label));
  input.addEventListener("change", () => set({ [parameter.name]: input.checked }));
  return { element, refresh: (state) => void (input.checked = state[parameter.name]) };
}

/** A list to choose from.
 * @param {Parameter} parameter @param {Set} set
 * @returns {Control}
 */
export function choice(parameter, set) {
  const select = make("select");
  for (const [name, label] of parameter.choices) select.append(Object.assign(make("option", "", label), { value: name }));
  const { element } = frame(parameter, select);
  select.addEventListener("change", () => set({ [parameter.name]: select.value }));
  return { element, refresh: (state) => void (select.value = state[parameter.name]) };
}

/** A field for text, of one line or more; it is taken while the reader types.
 * @param {Parameter} parameter @param {Set} set
 * @returns {Control}
 */
export function field(parameter, set, rows = 1) {
  const input = rows > 1 ? Object.assign(make("textarea"), { rows }) : Object.assign(make("input"), { type: "text" });
  input.spellcheck = false;
  input.autocomplete = "off";
  const { element, told } = frame(parameter, input, "instrument__control--wide");
  const typed = entry(parameter, input, told, set);
  input.addEventListener("input", typed.take);
  // of a field of several lines the browser brings the caret in sight, which may be under the page's header
  input.addEventListener("focus", () => input.scrollIntoView({ block: "nearest" }));
  return { element, refresh: typed.refresh };
}

/** A button.
 * @param {string} label @param {() => void} press
 */
export function button(label, press, className = "instrument__button") {
  const element = Object.assign(make("button", className, label), { type: "button" });
  element.addEventListener("click", press);
  return element;
}

/** Steps through whole numbers: to the first, one back, one on, to the last.
 * @param {Parameter} parameter @param {Set} set @param {() => number} last the largest number there is now
 * @returns {Control}
 */
export function stepper(parameter, set, last) {
  let now = 0;
  const to = (value) => () => {
    const wanted = value();
    if (wanted !== now && wanted >= 0 && wanted <= last()) set({ [parameter.name]: wanted });
  };
  const buttons = [
    button("First", to(() => 0)),
    button("Back", to(() => now - 1)),
    button("Next", to(() => now + 1)),
    button("Last", to(() => last())),
  ];
  const place = make("span", "instrument__place");
  const element = make("div", "instrument__control instrument__stepper", make("span", "instrument__name", parameter.label), ...buttons, place);
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", parameter.label);
  return {
    element,
    refresh(state) {
      now = state[parameter.name];
      place.textContent = `${now} of ${last()}`;
      // not `disabled`, which would throw a keyboard's focus away at either end
      buttons.forEach((one, index) => one.setAttribute("aria-disabled", String(index < 2 ? now === 0 : now >= last())));
    },
  };
}

/** A list that is put in order: by dragging, or by the buttons of each entry.
 * @param {Parameter} parameter @param {Set} set
 * @param {Record<string, Control>} inside a control for each entry whose own stands in it, and has its name
 * @returns {Control}
 */
export function order(parameter, set, inside = {}) {
  const list = make("ol", "instrument__order");
  let now = [];
  let held = "";
  const move = (name, to) => {
    const rest = now.filter((other) => other !== name);
    rest.splice(to, 0, name);
    if (rest.join() !== now.join()) set({ [parameter.name]: rest });
  };
  const items = new Map(
    parameter.choices.map(([name, label]) => {
      const step = (by) => () => {
        const to = now.indexOf(name) + by;
        if (to >= 0 && to < now.length) move(name, to);
      };
      const grip = make("span", "instrument__grip"); // apart from the name, on which a finger scrolls the page
      const up = button("↑", step(-1), "instrument__move");
      const down = button("↓", step(1), "instrument__move");
      up.setAttribute("aria-label", `${label}: earlier`);
      down.setAttribute("aria-label", `${label}: later`);
      const item = make("li", "instrument__item", grip, make("span", "instrument__entry", label), up, down, ...(inside[name] ? [inside[name].element] : []));
      grip.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        event.preventDefault();
        held = name;
        list.setPointerCapture(event.pointerId); // not the grip, which moves: a browser lets go of what is moved
        item.classList.add("instrument__item--held");
      });
      return [name, { item, up, down }];
    }),
  );
  list.addEventListener("pointermove", (event) => {
    if (!held) return;
    const middle = (name) => {
      const { top, height } = items.get(name).item.getBoundingClientRect();
      return top + height / 2;
    };
    move(held, now.filter((name) => name !== held && middle(name) < event.clientY).length);
  });
  list.addEventListener("lostpointercapture", () => {
    items.get(held)?.item.classList.remove("instrument__item--held");
    held = "";
  });
  const label = make("span", "instrument__name", parameter.label);
  label.id = `instrument-control-${++made}`;
  list.setAttribute("aria-labelledby", label.id);
  const element = make("div", "instrument__control instrument__control--wide", label, list);
  return {
    element,
    refresh(state, anew) {
      for (const control of Object.values(inside)) control.refresh(state, anew);
      now = state[parameter.name];
      const focus = document.activeElement;
      now.forEach((name, place) => {
        const { item, up, down } = items.get(name);
        if (list.children[place] !== item) list.insertBefore(item, list.children[place] ?? null);
        up.setAttribute("aria-disabled", String(place === 0));
        down.setAttribute("aria-disabled", String(place === now.length - 1));
      });
      if (focus instanceof HTMLElement && list.contains(focus)) focus.focus({ preventScroll: true }); // moving took it away
    },
  };
}
