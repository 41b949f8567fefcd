/* The BPE stepper's controls and stage. */

import { choice, field } from "./controls.js";
import { make, Row, Table } from "./parts.js";
import { spelledWord, trained, view } from "./ports/bpe_stepper.js";
import { brief, count, legend, remembering, Share, Symbols } from "./symbols.js";

const MOST_ROWS = 60; // of a table: a long text has more words, and more merges
const MOST_BOXES = 300; // of all words together

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    let last = 0;
    let wanted = 0; // the merges that the reader chose: while a text is typed, training ends sooner
    let isTyped = false;
    const anew = (changes, how) => {
      const { text, ties } = /** @type {any} */ ({ ...tool.state(), ...changes });
      const merges = Math.min(wanted, trained(text, ties).merges.length);
      isTyped = true;
      const problem = tool.set({ ...changes, merges }, how);
      isTyped = false;
      return problem;
    };
    const steps = tool.stepper("merges", () => last);
    const text = remembering(field(tool.parameter("text"), anew, 3), () => "What is shown is still of the text before.");
    const word = remembering(
      field(tool.parameter("word"), (changes, how) => {
        spelledWord(changes.word); // refuses it beside the field
        return tool.set(changes, how);
      }),
      () => (tool.state().word.trim() ? `What is shown is still of “${tool.state().word.trim()}”.` : "No word is shown."),
    );
    const both = {
      element: text.element,
      refresh(state, anew) {
        text.refresh(state, anew);
        word.refresh(state, anew); // it stands on the stage
      },
    };
    const words = new Words();
    const pairs = new Pairs();
    const next = new Row("Next:");
    const facts = new Row("Vocabulary:");
    const pieces = new Row("");
    const replay = new Replay();
    return {
      controls: [both, choice(tool.parameter("ties"), anew), steps],
      stage: [
        make("div", "instrument__beside", words.element, pairs.table.element),
        make("div", "", boxesMean(), next.element, facts.element),
        make("div", "instrument__word", word.element, pieces.element),
        replay.element,
      ],
      show(shown, state) {
        last = shown.merges.length;
        if (!isTyped) wanted = state.merges;
        steps.refresh(state);
        words.show(shown, state);
        pairs.show(shown);
        next.show(nextOf(shown, state));
        facts.show(
          `${shown.vocabulary} symbols: ${count(shown.base.length - 1, "character")}, the end marker and ${shown.vocabulary - shown.base.length} merged;`,
          `${count(shown.in_use.length, "of them still spells", "of them still spell")} the text`,
        );
        const asked = state.word.trim();
        pieces.element.firstChild.textContent = asked ? `Pieces of “${asked}”, each with its id:` : "";
        if (asked) pieces.show(...shown.pieces.map(piece), `(${shown.known ? "a word of the text" : "never seen in the text"})`);
        else pieces.show("Type a word to see the pieces that the merges make of it.");
        replay.show(shown, state);
      },
    };
  },

  said(shown, state) {
    const merge = shown.merges[state.merges - 1];
    const done = merge ? `Merge ${state.merges} of ${shown.merges.length}: ${brief(merge[0])} + ${brief(merge[1])}, seen ${count(merge[2], "time")}` : "No merge done";
    return shown.pieces.length ? `${done}; ${state.word.trim()} takes ${count(shown.pieces.length, "token")}` : done;
  },
};

/** How symbols are marked. */
function boxesMean() {
  return legend([
    ["merged", "made by merges"],
    ["new", "the newest"],
    ["next", "fused next"],
    ["strange", "no id"],
  ]);
}

/** A line that says how much is left out, if any is. */
class More {
  constructor() {
    this.element = make("p", "instrument__row");
    this.element.hidden = true;
  }

  show(number, text) {
    this.element.hidden = !number;
    this.element.textContent = number ? text : "";
  }
}

/** The words of the text, each as it is spelled. */
class Words {
  constructor() {
    this.table = high("The words, as they are spelled now", ["Word", "Seen", "Spelled"]);
    this.spelled = boxes();
    this.more = new More();
    this.element = make("div", "", this.table.element, this.more.element);
  }

  show({ words, spellings, pairs, merges }, state) {
    const [left, right] = pairs[0] ?? [];
    const newest = symbolOf(merges[state.merges - 1]);
    const rows = [];
    let room = MOST_BOXES;
    for (const [index, [word, seen]] of words.slice(0, MOST_ROWS).entries()) {
      if (room <= 0) break;
      const symbols = spellings[index];
      rows.push([brief(word), String(seen), this.spelled(index).show(symbols, kinds(symbols, left, right, newest), room)]);
      room -= symbols.length;
    }
    this.table.show(rows);
    const more = words.length - rows.length;
    this.more.show(more, `and ${count(more, "more word")}, which ${more === 1 ? "is" : "are"} counted too.`);
  }
}

/** The most frequent pairs, the next one first. */
class Pairs {
  constructor() {
    this.table = high("The most frequent pairs", ["Pair", "Seen", "Order"]);
    this.symbols = boxes(" + ");
    this.counts = [];
  }

  show({ pairs, all_pairs, tied }) {
    this.table.caption.textContent = all_pairs > pairs.length ? `The most frequent of ${all_pairs} pairs` : "All pairs that are left";
    this.table.show(
      pairs.map(([left, right, seen], index) => {
        this.counts[index] ??= new Share("instrument__share--beside");
        const note = index === 0 ? "next" : index < tied ? "tied" : "";
        return [this.symbols(index).show([left, right]), this.counts[index].show(String(seen), seen / pairs[0][2]), note];
      }),
      pairs.map((_, index) => (index ? "" : "instrument__row--next")),
    );
  }
}

/** The merges, each with what it makes of the word; the last one done is in sight. */
class Replay {
  constructor() {
    this.table = high("Each merge in its order", ["Merge", "Pair", "Seen", "The word"]);
    this.table.element.classList.add("instrument__scroll--tight");
    this.pairs = boxes(" + ");
    this.words = boxes();
    this.more = new More();
    this.element = make("div", "", this.table.element, this.more.element);
  }

  show({ merges, replayed, spelled }, state) {
    const after = new Map(replayed);
    const done = merges.slice(0, state.merges);
    this.table.caption.textContent = `Each merge in its order${spelled.length ? `, and what it makes of “${state.word.trim()}”` : ""}`;
    const apart = done.map((_, index) => index + 1).filter((number) => !after.has(number)); // what changes the word is always shown
    const left = new Set(apart.slice(0, Math.max(0, done.length - MOST_ROWS)));
    const numbers = done.map((_, index) => index + 1).filter((number) => !left.has(number));
    const row = (number, place) => {
      const [merge, symbols] = [done[number - 1], after.get(number)];
      const kind = (symbol) => (symbol === symbolOf(merge) ? "new" : "");
      return [
        String(number),
        this.pairs(place).show(merge.slice(0, 2)),
        String(merge[2]),
        symbols ? this.words(place + 1).show(symbols, symbols.map(kind)) : spelled.length ? "does not apply" : "",
      ];
    };
    this.table.show(
      [...(spelled.length ? [["start", "", "", this.words(0).show(spelled)]] : []), ...numbers.map(row)],
      [...(spelled.length ? [""] : []), ...numbers.map((number) => (after.has(number) || !spelled.length ? "" : "instrument__row--removed"))],
    );
    this.more.show(left.size, `${count(left.size, "earlier merge is", "earlier merges are")} left out${spelled.length ? ": none of them applies to the word" : ""}.`);
    if (this.done !== state.merges) this.table.element.scrollTop = this.table.element.scrollHeight;
    this.done = state.merges;
  }
}

/** A table that scrolls where a text makes it long. */
function high(caption, head) {
  const table = new Table(caption, head);
  table.element.classList.add("instrument__scroll--high");
  return table;
}

/** A piece of the word with its id. */
function piece([symbol, id]) {
  const box = new Symbols().show([symbol], [id === null ? "strange" : ""]);
  return make("span", "instrument__piece", box, ` ${id === null ? "no id" : id}`);
}

/** Rows of boxes by their number, kept as they are made. */
function boxes(between = " ") {
  const made = [];
  return (index) => (made[index] ??= new Symbols(between));
}

function symbolOf(merge) {
  return merge ? merge[0] + merge[1] : undefined;
}

/** How the symbols of a word are marked: the newest, and those that the next merge fuses. */
function kinds(symbols, left, right, newest) {
  const found = symbols.map((symbol) => (symbol === newest ? "new" : ""));
  for (let i = 0; i + 1 < symbols.length; i++) {
    if (symbols[i] !== left || symbols[i + 1] !== right) continue;
    found[i] += " next";
    found[++i] += " next";
  }
  return found;
}

/** Which pair is next, and by which rule.
 * @param {any} shown @param {any} state
 */
function nextOf({ pairs, all_pairs, tied }, { ties }) {
  if (!pairs.length) return "no pair is left, so training ends: each word is one symbol.";
  const [left, right, seen] = pairs[0];
  const first = `${brief(left)} + ${brief(right)}, seen ${count(seen, "time")}`;
  if (all_pairs === 1) return `${first}, the only pair that is left.`;
  if (tied === 1) return `${first}, more than any other.`;
  return `${first}, as ${tied === 2 ? `is ${pairs[1].slice(0, 2).map((symbol) => brief(symbol)).join(" + ")}` : `are ${tied - 1} others`}; of these it sorts ${ties === "smallest" ? "first" : "last"}.`;
}
