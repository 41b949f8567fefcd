/* What the instruments of byte pair encoding share: symbols as boxes, so that the eye sees where a text is cut, and counts. */

import { Bar, make } from "./parts.js";

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

/** A row of boxes, one for each symbol; made anew only where it changes. */
export class Symbols {
  /** @param {string} between what stands between two boxes */
  constructor(between = " ") {
    this.between = between;
    this.element = make("span", `instrument__symbols${between === " " ? "" : " instrument__symbols--pair"}`);
  }

  /** @param {string[]} symbols @param {string[]} kinds the ends of each one's classes, parted by spaces */
  show(symbols, kinds = []) {
    const key = JSON.stringify([symbols, kinds]);
    if (key !== this.key) {
      const boxes = symbols.map((symbol, place) => box(symbol, kinds[place]));
      this.element.replaceChildren(...boxes.flatMap((one, place) => (place ? [this.between, one] : [one])));
    }
    this.key = key;
    return this.element;
  }
}

/** @param {string} symbol */
function box(symbol, kind = "") {
  const kinds = [...symbol].length > 1 ? `merged ${kind}` : kind;
  const element = make("span", "instrument__symbol", readable(symbol));
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
