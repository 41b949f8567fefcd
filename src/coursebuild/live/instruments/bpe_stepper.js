/* The BPE stepper's controls and stage. */

import { choice, field } from "./controls.js";
import { make, Row, Table } from "./parts.js";
import { spelledWord, trained, view } from "./ports/bpe_stepper.js";
import { Share, Symbols } from "./symbols.js";

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    let last = 0;
    // a training that ends sooner has no more merges to be done
    const anew = (changes) => {
      const { text, ties, merges } = /** @type {any} */ ({ ...tool.state(), ...changes });
      tool.set({ ...changes, merges: Math.min(merges, trained(text, ties).merges.length) });
    };
    const steps = tool.stepper("merges", () => last);
    const word = field(tool.parameter("word"), (changes) => {
      spelledWord(changes.word); // refuses it beside the field
      tool.set(changes);
    });
    const words = new Words();
    const pairs = new Pairs();
    const next = new Row("Next:");
    const facts = new Row("Vocabulary:");
    const pieces = new Row("");
    const replay = new Replay();
    return {
      controls: [field(tool.parameter("text"), anew, 3), choice(tool.parameter("ties"), anew), steps],
      stage: [
        make("div", "instrument__beside", words.table.element, pairs.table.element),
        make("div", "", next.element, facts.element),
        make("div", "instrument__word", word.element, pieces.element),
        replay.table.element,
      ],
      show(shown, state) {
        last = shown.merges.length;
        steps.refresh(state);
        word.refresh(state);
        words.show(shown, state);
        pairs.show(shown);
        next.show(nextOf(shown, state));
        facts.show(
          `${shown.vocabulary} symbols: ${shown.base.length} characters and ${shown.vocabulary - shown.base.length} merged;`,
          `${shown.in_use.length} of them still spell the text`,
        );
        pieces.element.firstChild.textContent = `${count(shown.pieces.length, "token")} with ${shown.pieces.length === 1 ? "its id" : "their ids"}:`;
        pieces.show(...shown.pieces.map(piece), state.word.trim() ? `(${shown.known ? "a word of the text" : "never seen in the text"})` : "");
        replay.show(shown, state);
      },
    };
  },

  said(shown, state) {
    const merge = shown.merges[state.merges - 1];
    const done = merge ? `Merge ${state.merges} of ${shown.merges.length}: ${merge[0]} + ${merge[1]}, seen ${count(merge[2], "time")}` : "No merge done";
    return shown.pieces.length ? `${done}; ${state.word.trim()} takes ${count(shown.pieces.length, "token")}` : done;
  },
};

/** The words of the text, each as it is spelled. */
class Words {
  constructor() {
    this.table = high("The words, as they are spelled now", ["Word", "Seen", "Spelled"]);
    this.spelled = boxes();
  }

  show({ words, spellings, pairs, merges }, state) {
    const [left, right] = pairs[0] ?? [];
    const newest = symbolOf(merges[state.merges - 1]);
    this.table.show(
      words.map(([word, seen], index) => {
        const symbols = spellings[index];
        return [word, String(seen), this.spelled(index).show(symbols, kinds(symbols, left, right, newest))];
      }),
    );
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
  }

  show({ merges, replayed, spelled }, state) {
    const after = new Map(replayed);
    const done = merges.slice(0, state.merges);
    this.table.caption.textContent = `Each merge in its order, and what it makes of ${spelled.length ? `“${state.word.trim()}”` : "a word"}`;
    const row = (merge, index) => {
      const symbols = after.get(index + 1);
      const kind = (symbol) => (symbol === symbolOf(merge) ? "new" : "");
      return [
        String(index + 1),
        this.pairs(index).show(merge.slice(0, 2)),
        String(merge[2]),
        symbols ? this.words(index + 1).show(symbols, symbols.map(kind)) : "does not apply",
      ];
    };
    this.table.show(
      [["start", "", "", this.words(0).show(spelled)], ...done.map(row)],
      ["", ...done.map((_, index) => (after.has(index + 1) ? "" : "instrument__row--removed"))],
    );
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

function count(number, name) {
  return `${number} ${name}${number === 1 ? "" : "s"}`;
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
function nextOf({ pairs, tied }, { ties }) {
  if (!pairs.length) return "no pair is left, so training ends: each word is one symbol.";
  const [left, right, seen] = pairs[0];
  const first = `${left} + ${right}, seen ${count(seen, "time")}`;
  if (tied === 1) return `${first}, more than any other.`;
  return `${first}, as ${tied === 2 ? `is ${pairs[1][0]} + ${pairs[1][1]}` : `are ${tied - 1} others`}; of these it sorts ${ties === "smallest" ? "first" : "last"}.`;
}
