/* Makes an instrument of its static picture: reads what the build kept for it, loads its script, and keeps controls, what is
   shown, the address and what is announced in step with its state. */

import { box, button, choice, field, number, order, slider, stepper } from "./controls.js";
import { make } from "./parts.js";
import { linkOf, read, Refused, stateOf, written } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Parameter} Parameter */
/** @typedef {import("./controls.js").Control} Control */

/** What an instrument's script is given.
 * @typedef {object} Tool
 * @property {any} data what the build computed for it
 * @property {import("./controls.js").Set} set asks for another state
 * @property {() => State} state the present one
 * @property {(name: string) => Control} slider
 * @property {(name: string) => Control} box
 * @property {(name: string) => Control} choice
 * @property {(name: string, rows?: number) => Control} field
 * @property {(name: string) => Parameter} parameter
 * @property {(name: string) => Control} number
 * @property {(name: string, inside?: Record<string, Control>) => Control} order
 * @property {(name: string, last: () => number) => Control} stepper
 */

/** What an instrument's script exports. `view` computes what is shown, as the module of the same name in
 * coursebuild/instruments does; `build` makes the controls and the stage once; its `show` is called for each new view.
 * @typedef {object} Instrument
 * @property {(data: any, state: State) => any} view
 * @property {(tool: Tool) => {controls: Control[], stage: HTMLElement[], show: (view: any, state: State, anew: boolean) => void}} build
 * @property {(view: any, state: State) => string} said what a screen reader says of a new view: one short sentence
 */

const QUIET = 500; // ms without a change before it is announced and put into the address
const mounted = new Map();

/** Makes the instrument usable; once it is, only its state is set where a link asks for one.
 * @param {HTMLElement} figure @param {string} fragment the address's, "#" included
 */
export async function mount(figure, fragment = "") {
  if (!mounted.has(figure)) mounted.set(figure, start(figure));
  let instrument;
  try {
    instrument = await mounted.get(figure);
  } catch (error) {
    mounted.delete(figure);
    throw error;
  }
  const [name, ...link] = fragment.split("?");
  if (name === `#${figure.id}`) instrument.open(link.join("?"));
}

/** @param {HTMLElement} figure */
async function start(figure) {
  const kept = JSON.parse(figure.querySelector(".instrument__kept").textContent);
  const [{ default: instrument }] = await Promise.all([import(`./${figure.dataset.instrument.replaceAll("-", "_")}.js`), styled()]);
  return new Mounted(figure, kept, instrument);
}

let style;

/** The style of instruments, loaded once. */
function styled() {
  style ??= new Promise((done, failed) => {
    const link = Object.assign(make("link"), { rel: "stylesheet", href: new URL("instruments.css", import.meta.url).href });
    link.onload = done;
    link.onerror = () => {
      style = undefined;
      link.remove();
      failed(new Error("the style of the instruments could not be loaded"));
    };
    document.head.append(link);
  });
  return style;
}

class Mounted {
  /** @param {HTMLElement} figure @param {{data: any, parameters: Parameter[], state: State}} kept @param {Instrument} instrument */
  constructor(figure, { data, parameters, state }, instrument) {
    this.figure = figure;
    this.data = data;
    this.parameters = parameters;
    this.first = state;
    this.state = state;
    this.instrument = instrument;
    this.problem = make("p", "instrument__problem");
    this.problem.setAttribute("role", "alert");
    this.status = make("p", "visually-hidden");
    this.status.setAttribute("role", "status");
    const parameter = (name) => parameters.find((one) => one.name === name);
    /** @type {Control[]} wherever they stand */
    this.controls = [];
    const control = (of) => (name, ...more) => {
      const made = of(parameter(name), this.set, ...more);
      this.controls.push(made);
      return made;
    };
    const tool = { data, parameter, set: this.set, state: () => this.state };
    for (const [name, of] of Object.entries({ box, choice, field, number, order, slider, stepper })) tool[name] = control(of);
    this.parts = instrument.build(/** @type {Tool} */ (tool));
    this.view = instrument.view(data, state);
    this.copied = button("Copy link", () => this.#copy());
    const bar = make("div", "instrument__bar-of-buttons", button("Reset", () => this.#reset()), this.copied);
    const controls = make("div", "instrument__controls", ...this.parts.controls.map(({ element }) => element));
    const stage = make("div", "instrument__stage", ...this.parts.stage);
    this.#show();
    const picture = figure.querySelector(".instrument__picture");
    const hadFocus = picture.contains(document.activeElement);
    picture.replaceChildren(controls, this.problem, stage, bar, this.status);
    figure.classList.add("instrument--live");
    /** @type {HTMLElement} */
    const first = picture.querySelector("input, select, textarea, button");
    if (hadFocus) first.focus({ preventScroll: true });
  }

  /** Takes another state, if a link could ask for it and the computation takes it: else what is shown stays.
   * @param {State} changes @param {{isTold?: boolean, anew?: boolean}} how `isTold`: whoever asks tells why it was refused;
   * `anew`: fields show the state even where a reader has typed what was refused
   * @returns {string} why it was refused, or nothing
   */
  set = (changes, { isTold = false, anew = false } = {}) => {
    const state = { ...this.state, ...changes };
    let problem = "";
    try {
      for (const parameter of this.parameters) read(parameter, written(parameter, state[parameter.name]));
      this.view = this.instrument.view(this.data, state);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem = error.message;
    }
    this.#tell(isTold ? "" : problem);
    if (!problem) this.state = state;
    else if (isTold) return problem;
    this.#show(anew);
    if (problem) return problem;
    clearTimeout(this.later);
    const place = location.href;
    this.later = setTimeout(() => {
      this.status.textContent = this.instrument.said(this.view, this.state);
      if (location.href === place) history.replaceState(history.state, "", this.#address()); // else the reader has gone elsewhere
    }, QUIET);
    return "";
  };

  /** Takes the state of a link. One that asks for what is not allowed is told, and changes nothing.
   * @param {string} link
   */
  open(link) {
    this.figure.scrollIntoView();
    let problem = "";
    try {
      problem = this.set(stateOf(this.parameters, this.first, link), { anew: true });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problem = error.message;
    }
    if (problem) this.#tell(`The link cannot be followed: ${problem}.`);
  }

  /** @param {string} problem */
  #tell(problem) {
    if (this.problem.textContent !== problem) this.problem.textContent = problem; // told once, not at each move of a finger
  }

  #show(anew = false) {
    for (const control of new Set([...this.controls, ...this.parts.controls])) control.refresh(this.state, anew);
    this.parts.show(this.view, this.state, anew);
  }

  #address() {
    const link = linkOf(this.parameters, this.first, this.state);
    return new URL(`#${this.figure.id}${link ? `?${link}` : ""}`, location.href);
  }

  #reset() {
    this.set(this.first, { anew: true });
    this.status.textContent = "";
  }

  async #copy() {
    let said = "Copied";
    try {
      await navigator.clipboard.writeText(this.#address().href);
    } catch {
      clearTimeout(this.later);
      history.replaceState(history.state, "", this.#address());
      said = "The link is in the address bar";
    }
    this.copied.textContent = said;
    this.status.textContent = said;
    setTimeout(() => (this.copied.textContent = "Copy link"), 2000);
  }
}
