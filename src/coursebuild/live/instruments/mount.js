/* Makes an instrument of its static picture: reads what the build kept for it, loads its script, and keeps controls, what is
   shown, the address and what is announced in step with its state. */

import { box, button, choice, field, number, order, slider, stepper } from "./controls.js";
import { make } from "./parts.js";
import { linkOf, Refused, stateOf } from "./state.js";

/** @typedef {import("./state.js").State} State */
/** @typedef {import("./state.js").Parameter} Parameter */
/** @typedef {import("./controls.js").Control} Control */

/** What an instrument's script is given.
 * @typedef {object} Tool
 * @property {any} data what the build computed for it
 * @property {(changes: State) => void} set asks for another state
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
 * @property {(tool: Tool) => {controls: Control[], stage: HTMLElement[], show: (view: any, state: State) => void}} build
 * @property {(view: any, state: State) => string} said what a screen reader says of a new view: one short sentence
 */

const QUIET = 500; // ms without a change before it is announced and put into the address
const mounted = new Map();

/** Makes the instrument usable; once it is, only its state is set where a link asks for one.
 * @param {HTMLElement} figure @param {string} fragment the address's, "#" included
 */
export async function mount(figure, fragment = "") {
  if (!mounted.has(figure)) mounted.set(figure, start(figure));
  const instrument = await mounted.get(figure);
  if (fragment.startsWith(`#${figure.id}?`)) instrument.open(fragment.slice(figure.id.length + 2));
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
    link.onerror = () => failed(new Error("the style of the instruments could not be loaded"));
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
    const control = (of) => (name, ...more) => of(parameter(name), this.set, ...more);
    const tool = { data, parameter, set: this.set, state: () => this.state };
    for (const [name, of] of Object.entries({ box, choice, field, number, order, slider, stepper })) tool[name] = control(of);
    this.parts = instrument.build(/** @type {Tool} */ (tool));
    this.view = instrument.view(data, state);
    this.copied = button("Copy link", () => this.#copy());
    const bar = make("div", "instrument__bar-of-buttons", button("Reset", () => this.#reset()), this.copied);
    const controls = make("div", "instrument__controls", ...this.parts.controls.map(({ element }) => element));
    const stage = make("div", "instrument__stage", ...this.parts.stage);
    this.#show();
    figure.querySelector(".instrument__picture").replaceChildren(controls, this.problem, stage, bar, this.status);
    figure.classList.add("instrument--live");
  }

  /** Takes another state, if the computation does: else what is shown stays, and why is told.
   * @param {State} changes
   */
  set = (changes) => {
    const state = { ...this.state, ...changes };
    try {
      this.view = this.instrument.view(this.data, state);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = error.message;
      for (const control of this.parts.controls) control.refresh(this.state);
      return;
    }
    this.problem.textContent = "";
    this.state = state;
    this.#show();
    clearTimeout(this.later);
    this.later = setTimeout(() => {
      this.status.textContent = this.instrument.said(this.view, this.state);
      history.replaceState(history.state, "", this.#address());
    }, QUIET);
  };

  /** Takes the state of a link. One that asks for what is not allowed is told, and changes nothing.
   * @param {string} link
   */
  open(link) {
    this.figure.scrollIntoView();
    try {
      this.set(stateOf(this.parameters, this.first, link));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.problem.textContent = `The link cannot be followed: ${error.message}.`;
    }
  }

  #show() {
    for (const control of this.parts.controls) control.refresh(this.state);
    this.parts.show(this.view, this.state);
  }

  #address() {
    const link = linkOf(this.parameters, this.first, this.state);
    return new URL(`#${this.figure.id}${link ? `?${link}` : ""}`, location.href);
  }

  #reset() {
    this.set(this.first);
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
