/* What the instruments of byte pair encoding share: symbols as boxes, so that the eye sees where a text is cut, and counts. */

import { Bar, make, Row } from "./parts.js";

const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const SIGNS = new Map([
  [" ", "␣"],
  ["\n", "↵"],
  ["\t", "⇥"],
]);

/** A text with all that is not seen in it made visible; a mark that has no letter to stand on gets a circle.
 * @param {string} text
 */
export function readable(text) {
  const seen = text.replace(UNSEEN, (character) => SIGNS.get(character) ?? codePoint(character));
  return /^\p{M}/u.test(seen) ? `◌${seen}` : seen;
}

/** The number of a character, as Unicode writes it.
 * @param {string} character
 */
export function codePoint(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}

/** A number of things by their name.
 * @param {number} number @param {string} singular
 */
export function count(number, singular, plural = `${singular}s`) {
  return `${number} ${number === 1 ? singular : plural}`;
}

const LONGEST = 40; // characters of a text that a box shows whole
const [FIRST, LAST] = [20, 10]; // of those that are shown of a longer one

/** A text, or what it begins and ends with and how long it is.
 * @param {string} text @param {(part: string) => string} written how a part of it is shown
 */
export function brief(text, written = (part) => part) {
  const characters = [...text];
  if (characters.length <= LONGEST) return written(text);
  const [first, last] = [characters.slice(0, FIRST), characters.slice(-LAST)].map((part) => written(part.join("")));
  return `${first}…${last} (${characters.length} characters)`;
}

/** A field that says, while its text is refused, what the instrument still shows.
 * @param {import("./controls.js").Control} field @param {() => string} shown
 * @returns {import("./controls.js").Control}
 */
export function remembering(field, shown) {
  const { element } = field;
  const input = element.querySelector("input, textarea");
  const note = make("p", "instrument__row");
  const tell = () => {
    note.hidden = !input.hasAttribute("aria-invalid");
    note.textContent = note.hidden ? "" : shown();
  };
  element.append(note);
  element.addEventListener("input", tell); // after the field's own listener, which takes or refuses the text
  tell();
  return {
    element,
    refresh(state, anew) {
      field.refresh(state, anew);
      tell();
    },
  };
}

/** What the kinds of boxes mean.
 * @param {[string, string][]} kinds the end of each one's class, and what is said of it
 */
export function legend(kinds) {
  const line = new Row("Boxes:");
  line.show(...kinds.map(([kind, text]) => make("span", `instrument__symbol instrument__symbol--${kind}`, text)));
  return line.element;
}

/** A row of boxes, one for each symbol; made anew only where it changes. */
export class Symbols {
  /** @param {string} between what stands between two boxes */
  constructor(between = " ") {
    this.between = between;
    this.element = make("span", `instrument__symbols${between === " " ? "" : " instrument__symbols--pair"}`);
  }

  /** @param {string[]} symbols @param {string[]} kinds the ends of each one's classes, parted by spaces
   * @param {number} most how many boxes are made; what is left out is told
   */
  show(symbols, kinds = [], most = Infinity) {
    const key = JSON.stringify([symbols, kinds, most < symbols.length ? most : 0]);
    if (key !== this.key) {
      const boxes = symbols.slice(0, most).map((symbol, place) => box(symbol, kinds[place]));
      this.element.replaceChildren(...boxes.flatMap((one, place) => (place ? [this.between, one] : [one])));
      const more = symbols.length - boxes.length;
      if (more) this.element.append(make("span", "instrument__more", ` and ${count(more, "more symbol")}`));
    }
    this.key = key;
    return this.element;
  }
}

/** @param {string} symbol */
function box(symbol, kind = "") {
  const kinds = [...symbol].length > 1 ? `merged ${kind}` : kind;
  const element = make("span", "instrument__symbol", brief(symbol, readable));
  for (const one of kinds.split(" ")) if (one) element.classList.add(`instrument__symbol--${one}`);
  return element;
}

/** A number with its bar: under it, or beside it where the class says so. */
export class Share {
  constructor(className = "") {
    this.bar = new Bar();
    this.text = make("span");
    this.element = make("span", `instrument__share ${className}`.trim(), this.text, this.bar.element);
  }

  /** @param {string} text @param {number} share of the whole bar */
  show(text, share) {
    this.text.textContent = text;
    this.bar.share = share;
    return this.element;
  }
}
