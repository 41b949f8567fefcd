/* The token inspector's controls and stage. */

import { button, field } from "./controls.js";
import { fixed, make, Row, Table } from "./parts.js";
import { spellBytes } from "./ports/bpe.js";
import { ByteBPE, BYTES, detail, view } from "./ports/token_inspector.js";
import { codePoint, count, legend, readable, remembering, Share, Symbols } from "./symbols.js";

const MOST_BYTES = 4; // of a character in UTF-8

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    const bpe = new ByteBPE(tool.data.merges);
    const written = (text, how) => {
      spellBytes(text); // refuses it beside the field
      const { tokens } = view(tool.data, { text, token: 0 }).cost;
      return tool.set({ text, token: Math.min(tool.state().token || 1, tokens) }, how);
    };
    const text = remembering(field(tool.parameter("text"), (changes, how) => written(changes.text, how), 3), () => "What is shown is still of the text before.");
    const tokens = new Tokens(bpe, (token) => tool.set({ token }), (token) => look(token));
    const about = new About(bpe);
    const size = new Row("");
    const costs = new Table("What texts cost in this table", ["Text", "Tokens", "Against English", "Tokens a char", "Bytes", "Chars"]);
    costs.element.classList.add("instrument__scroll--tight");
    const names = ["This text", ...tool.data.samples.map(([language]) => language)];
    const ratios = names.map(() => new Share());
    let shown;
    const look = (token) => about.show(token ? detail(bpe, shown.chunks, token) : shown.token, token || tool.state().token, shown.cost.tokens);
    return {
      controls: [text, examples(tool.data.samples, tool.parameter("text").start, written)],
      stage: [size.element, tokens.element, about.element, boxesMean(), costs.element, ...declaration(tool.data.declaration)],
      show(now, state) {
        shown = now;
        const { cost } = shown;
        size.element.firstChild.textContent = `${count(cost.tokens, "token")}:`;
        const ratio = cost.characters ? `, ${fixed(cost.per_character, 2)} tokens a character` : "";
        size.show(`${count(cost.characters, "character")}, ${count(cost.bytes, "byte")}${ratio}`);
        tokens.show(shown, state);
        look(0);
        costs.show(
          [cost, ...shown.samples].map((one, index) => [
            names[index],
            String(one.tokens),
            one.times ? `${fixed(one.times, 2)}×` : "",
            ratios[index].show(one.characters ? fixed(one.per_character, 2) : "", (one.per_character ?? 0) / MOST_BYTES),
            String(one.bytes),
            String(one.characters),
          ]),
        );
      },
    };
  },

  said({ cost }) {
    return `${count(cost.tokens, "token")} for ${count(cost.characters, "character")}, ${count(cost.bytes, "byte")}`;
  },
};

/** Buttons that write a text: a sentence in each language, and the one with which the instrument begins.
 * @returns {import("./controls.js").Control}
 */
function examples(samples, rare, written) {
  const texts = [["A rare word", rare], ...samples];
  const element = make("div", "instrument__control instrument__control--wide instrument__stepper", make("span", "instrument__name", "Examples"), ...texts.map(([name, sample]) => button(name, () => written(sample, { anew: true }))));
  element.setAttribute("role", "group");
  element.setAttribute("aria-label", "Examples");
  return { element, refresh() {} };
}

/** How tokens are coloured. */
function boxesMean() {
  return legend([
    ["merged", "made by merges"],
    ["byte", "one byte"],
    ["part", "a byte of a character"],
  ]);
}

/** What the Declaration of Human Rights costs in this table and in real ones: nothing of it moves. */
function declaration({ languages, tables, bytes_a_token, date, library }) {
  const table = new Table("The Declaration of Human Rights: tokens against English", ["Language", ...tables.map(([name]) => name)]);
  for (const cell of table.table.tHead.rows[0].cells) cell.replaceChildren(...broken(cell.textContent));
  const most = Math.max(...tables.flatMap(([, times]) => times));
  table.show(languages.map((language, place) => [language, ...tables.map(([, times]) => new Share().show(`${fixed(times[place], 2)}×`, times[place] / most))]));
  table.element.classList.add("instrument__scroll--tight");
  const source = `The real tables are those of ${library}, run on ${date} for panel 17.6.`;
  const reading = `This table learned few words of that English: a token of it is ${fixed(bytes_a_token, 2)} bytes. So its column says little more than UTF-8, while the real ones make English cheap.`;
  return [table.element, make("p", "instrument__row", source, " ", reading)];
}

/** A name that may go on in the next line after each underscore. */
function broken(name) {
  return name.split(/(?<=_)/).flatMap((part, place) => (place ? [make("wbr"), part] : [part]));
}

/** The tokens as boxes, of which one is looked at. Arrows move from one to the next, or to the line above or below. */
class Tokens {
  /** @param {ByteBPE} bpe @param {(token: number) => void} choose @param {(token: number) => void} look 0 for that which is chosen */
  constructor(bpe, choose, look) {
    this.bpe = bpe;
    this.choose = choose;
    this.element = make("div", "instrument__tokens");
    this.element.setAttribute("role", "listbox");
    this.element.setAttribute("aria-label", "Tokens of the text");
    this.options = [];
    const of = (event) => this.options.indexOf(event.target.closest("[role=option]")) + 1;
    for (const kind of ["focusin", "click"]) {
      this.element.addEventListener(kind, (event) => {
        const token = of(event);
        if (token && token !== this.token) this.choose(token);
      });
    }
    this.element.addEventListener("pointerover", (event) => event.pointerType === "mouse" && look(of(event)));
    this.element.addEventListener("pointerleave", () => look(0));
    this.element.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {any} shown @param {any} state */
  show({ chunks }, { text, token }) {
    if (text !== this.text) this.#make(chunks);
    this.text = text;
    this.token = token;
    this.element.hidden = !this.options.length;
    this.#mark(false);
    this.chosen = this.options[Math.max(token - 1, 0)]; // of none, the first is where the keyboard comes in
    this.#mark(true);
    if (!token) this.chosen?.setAttribute("aria-selected", "false");
  }

  #mark(is) {
    if (!this.chosen) return;
    this.chosen.setAttribute("aria-selected", String(is));
    this.chosen.tabIndex = is ? 0 : -1;
  }

  #make(chunks) {
    this.options = [];
    const made = chunks.map((groups) => make("span", "instrument__chunk", ...groups.map(([of, ids]) => this.#group(of, ids))));
    this.element.replaceChildren(...made);
  }

  #group(of, ids) {
    const options = ids.map((id) => {
      const bytes = this.bpe.symbols[id];
      const whole = ids.length === 1;
      const kind = whole ? (bytes.length === 2 ? "byte" : "merged") : "part";
      const option = make("span", `instrument__symbol instrument__symbol--${kind}`, whole ? readable(of) : bytes.toUpperCase());
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      option.tabIndex = -1;
      this.options.push(option);
      option.setAttribute("aria-label", `${whole ? readable(of).replaceAll("␣", "space ") : `byte ${bytes.toUpperCase()}`}, token ${this.options.length}, id ${id}`);
      return option;
    });
    if (ids.length === 1) return options[0];
    const group = make("span", "instrument__character", ...options);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", readable(of));
    const text = make("span", "instrument__of", readable(of));
    text.setAttribute("aria-hidden", "true"); // the group's name says it
    group.prepend(text);
    return group;
  }

  #key(event) {
    const at = this.options.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowRight: () => at + 1, ArrowLeft: () => at - 1, Home: () => 0, End: () => this.options.length - 1, ArrowUp: () => this.#line(at, -1), ArrowDown: () => this.#line(at, 1) }[event.key];
    if (!to || at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.options[to()]?.focus();
  }

  /** The token of the next line, or the line before, that is the closest. */
  #line(at, way) {
    const box = (index) => this.options[index].getBoundingClientRect();
    const { left, top, height } = box(at);
    let best = at;
    for (let i = at + way, line; this.options[i]; i += way) {
      const here = box(i);
      if (Math.abs(here.top - top) < height / 2) continue;
      line ??= here.top;
      if (Math.abs(here.top - line) > height / 2) break;
      if (best === at || Math.abs(here.left - left) < Math.abs(box(best).left - left)) best = i;
    }
    return best;
  }
}

/** What is known of a token. */
class About {
  /** @param {ByteBPE} bpe */
  constructor(bpe) {
    this.bpe = bpe;
    this.rows = { token: new Row(""), bytes: new Row("Bytes:"), made: new Row("Made by:") };
    this.element = make("div", "instrument__about", ...Object.values(this.rows).map(({ element }) => element));
  }

  show(known, number, all) {
    this.element.hidden = !known;
    if (!known) return;
    const { id, bytes, of, first_byte, all_bytes, made } = known;
    const whole = bytes.length / 2 === all_bytes;
    const { token, bytes: line, made: merges } = this.rows;
    token.element.firstChild.textContent = `Token ${number} of ${all}:`;
    token.show(make("span", "instrument__symbol", whole ? readable(of) : bytes.toUpperCase()), `id ${id}`);
    const several = [...of].length > 1 ? "" : ` (${codePoint(of)})`;
    const part = whole ? several : `, byte ${first_byte + 1} of ${all_bytes} of ${readable(of)}${several}`;
    line.show(`${bytes.match(/../g).join(" ").toUpperCase()}${part}`);
    const steps = made.map(([rank, left, right, seen]) => {
      const pair = new Symbols(" + ").show([this.#text(left), this.#text(right)]);
      return make("span", "instrument__piece", `merge ${rank}: `, pair, ` (seen ${count(seen, "time")})`);
    });
    merges.show(...(steps.length ? steps : [`no merge: it is one of the ${BYTES.length} bytes that the table began with`]));
  }

  /** Bytes as text where they are some. */
  #text(bytes) {
    const values = Uint8Array.from(bytes.match(/../g), (pair) => Number.parseInt(pair, 16));
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(values);
    } catch {
      return bytes.toUpperCase();
    }
  }
}
