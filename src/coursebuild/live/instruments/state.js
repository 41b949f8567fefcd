/* The state of an instrument, and how a link writes it: `#try-<name>?parameter=value&…`, only what differs from the page's own.
   coursebuild/instruments/parameters.py reads the same; the tests hold both against each other. Nothing is clamped. */

/** @typedef {{kind: string, name: string, label: string, start: any, least?: number, most?: number, step?: number,
 *   scale?: string, choices?: [string, string][], longest?: number, whole?: boolean}} Parameter */
/** @typedef {Record<string, any>} State */

const LONGEST_QUOTED = 40;
const NUMBER = /^-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?$/;
const WHOLE = /^-?[0-9]{1,15}$/;

/** A value that a parameter cannot have, or a state that the computation refuses; its message is for the reader. */
export class Refused extends Error {}

/** A number as a link and a reader see it: the shortest text that reads as the same number.
 * @param {number} value
 */
export function plain(value) {
  return String(value).replace("e+", "e");
}

const READ = {
  number: (parameter, text) => within(parameter, text, NUMBER, "a number"),
  whole: (parameter, text) => within(parameter, text, WHOLE, "a whole number"),
  choice(parameter, text) {
    const names = parameter.choices.map(([name]) => name);
    if (!names.includes(text)) throw refused(parameter, text, `one of ${names.join(", ")}`);
    return text;
  },
  flag(parameter, text) {
    if (text !== "on" && text !== "off") throw refused(parameter, text, "on or off");
    return text === "on";
  },
  text(parameter, text) {
    const length = [...text].length;
    const count = (number) => number.toLocaleString("en");
    if (length > parameter.longest) {
      throw new Refused(`${parameter.name} must have at most ${count(parameter.longest)} characters, not ${count(length)}`);
    }
    return text;
  },
  numbers(parameter, text) {
    const pieces = text ? text.split(",") : [];
    if (pieces.length > parameter.longest) {
      throw new Refused(`${parameter.name} must have at most ${parameter.longest} numbers, not ${pieces.length}`);
    }
    const [form, kind] = parameter.whole ? [WHOLE, "whole numbers"] : [NUMBER, "numbers"];
    return pieces.map((piece) => within(parameter, piece, form, kind));
  },
  order(parameter, text) {
    const names = parameter.choices.map(([name]) => name);
    if ([...text.split(",")].sort().join() !== [...names].sort().join()) {
      throw refused(parameter, text, `an order of ${names.join(",")}`);
    }
    return text.split(",");
  },
};

const WRITE = {
  number: plain,
  whole: plain,
  flag: (value) => (value ? "on" : "off"),
  numbers: (value) => value.map(plain).join(","),
  order: (value) => value.join(","),
};

function within({ name, least, most }, text, form, kind) {
  const value = form.test(text) ? Number(text) : NaN;
  if (!(least <= value && value <= most)) throw refused({ name }, text, `${kind} from ${plain(least)} to ${plain(most)}`);
  return value;
}

function refused({ name }, text, allowed) {
  return new Refused(`${name} must be ${allowed}, not “${cut(text)}”`);
}

/** A text from a reader or a link in a message about it, which stays short. */
function cut(text) {
  return text.length > LONGEST_QUOTED ? `${text.slice(0, LONGEST_QUOTED)}…` : text;
}

/** The value that a text stands for.
 * @param {Parameter} parameter @param {string} text
 * @throws {Refused}
 */
export function read(parameter, text) {
  return READ[parameter.kind](parameter, text);
}

/** A value as a link has it.
 * @param {Parameter} parameter @param {any} value
 * @returns {string}
 */
export function written(parameter, value) {
  return (WRITE[parameter.kind] ?? String)(value);
}

/** The state that a link asks for.
 * @param {Parameter[]} parameters @param {State} start the page's own @param {string} link what follows the question mark
 * @returns {State}
 * @throws {Refused}
 */
export function stateOf(parameters, start, link) {
  const found = {};
  for (const [name, value] of new URLSearchParams(link)) {
    const parameter = parameters.find((one) => one.name === name);
    if (!parameter) throw new Refused(`“${cut(name)}” is no parameter; there are ${parameters.map((one) => one.name).join(", ")}`);
    if (name in found) throw new Refused(`${name} is given twice`);
    found[name] = read(parameter, value);
  }
  return { ...start, ...found };
}

/** What a link to a state says, empty where it is the page's own.
 * @param {Parameter[]} parameters @param {State} start @param {State} state
 */
export function linkOf(parameters, start, state) {
  const changed = parameters
    .map((parameter) => [parameter.name, written(parameter, state[parameter.name]), written(parameter, start[parameter.name])])
    .filter(([, value, before]) => value !== before)
    .map(([name, value]) => [name, value]);
  return new URLSearchParams(changed).toString();
}
