/* The list of claims below a panel: after a run it says, in place, which of them held. */

import { make } from "./editor.js";

const MOST = 200; // a loop may check thousands of claims; so many are listed

const STATES = {
  held: ["✓", "holds: "],
  failed: ["✗", "fails: "],
  unreached: ["–", "not reached: "],
};

export class Claims {
  /** @param {HTMLElement} section the panel @param {string} label what the list is called where the page has none */
  constructor(section, label) {
    this.section = section;
    this.label = label;
    this.frame = section.querySelector(":scope > .panel__claims");
    /** @type {NodeListOf<HTMLElement>} */
    const own = section.querySelectorAll(":scope > .panel__claims .claim");
    this.own = [...own];
    this.texts = this.own.map(textOf);
    this.opened = [];
    this.added = [];
  }

  /** Shows the outcome of a run. Claims are told apart by their text; of equal ones, each run counts in turn.
   * @param {import("./runner.js").Check[]} checks
   * @returns {{held: number, failed: number, unreached: number, first: HTMLElement | null}} `first`: the first that failed
   */
  show(checks) {
    this.reset();
    const waiting = new Map();
    this.texts.forEach((text, index) => waiting.set(text, [...(waiting.get(text) ?? []), this.own[index]]));
    const count = { held: 0, failed: 0, unreached: 0, first: null };
    for (const check of checks) {
      const state = check.held ? "held" : "failed";
      count[state]++;
      const item = waiting.get(check.claim)?.shift() ?? this.#add(check.claim);
      if (!item) continue;
      mark(item, state);
      if (check.held) continue;
      item.append(...values(check));
      count.first ??= item;
      const folded = item.closest(".claims__more");
      if (folded && !folded.open) {
        folded.open = true;
        this.opened.push(folded);
      }
    }
    for (const item of [...waiting.values()].flat()) {
      count.unreached++;
      mark(item, "unreached");
    }
    return count;
  }

  /** Puts the page's own list back. */
  reset() {
    for (const item of this.added) item.remove();
    this.added = [];
    if (!this.own.length) this.frame?.remove();
    for (const item of this.own) {
      item.querySelector(".claim__values")?.remove();
      mark(item, "held");
    }
    for (const folded of this.opened) folded.open = false;
    this.opened = [];
  }

  /** Says that a run is going on, whose outcome is not known yet. */
  set busy(busy) {
    this.frame?.setAttribute("aria-busy", String(busy));
  }

  #add(claim) {
    if (this.added.length >= MOST) return null;
    const list = this.#list();
    const item = make("li", "claim");
    item.id = `claim-${this.section.id}-run-${this.added.length + 1}`;
    const sign = make("span", "claim__mark");
    sign.setAttribute("aria-hidden", "true");
    const text = make("span", "claim__text");
    text.append(make("span", "visually-hidden"), ...inline(claim));
    item.append(sign, text);
    list.append(item);
    this.added.push(item);
    return item;
  }

  #list() {
    if (!this.frame || !this.frame.isConnected) {
      this.frame = make("div", "panel__claims");
      this.frame.append(make("p", "panel__label", this.label), make("ul", "claims"));
      const before = this.section.querySelector(":scope > :is(.live__graded, .panel__unfolded)");
      this.section.insertBefore(this.frame, before);
    }
    return this.frame.querySelector(".claims");
  }
}

/** @param {HTMLElement} item @param {"held" | "failed" | "unreached"} state */
function mark(item, state) {
  const [sign, said] = STATES[state];
  for (const name of Object.keys(STATES)) item.classList.toggle(`claim--${name}`, name === state);
  item.querySelector(".claim__mark").textContent = sign;
  item.querySelector(".visually-hidden").textContent = said;
}

/** What came and what was expected of a claim that failed, or what a grader says of it.
 * @param {import("./runner.js").Check} check
 * @returns {HTMLElement[]} none where there is nothing to say
 */
function values({ asked, got, expected, said }) {
  const lines = said.split("\n").filter(Boolean).map((text) => make("span", "claim__value", text));
  for (const [name, value] of [["asked", asked], ["got", got], ["expected", expected]]) {
    if (!value) continue;
    const line = make("span", "claim__value", `${name} `);
    line.append(make("code", "", value));
    lines.push(line);
  }
  const told = make("span", "claim__values");
  told.append(...lines);
  return lines.length ? [told] : [];
}

/** A claim as its program has it: the page shows what stands between backticks as code. */
function textOf(item) {
  const text = item.querySelector(".claim__text").cloneNode(true);
  text.querySelector(".visually-hidden")?.remove();
  for (const code of text.querySelectorAll("code")) code.textContent = `\`${code.textContent}\``;
  return text.textContent;
}

/** A claim as the page shows it: the pieces between backticks as code. */
function inline(claim) {
  return claim.split(/(`[^`]+`)/).map((piece) => (/^`[^`]+`$/.test(piece) ? make("code", "", piece.slice(1, -1)) : piece));
}
