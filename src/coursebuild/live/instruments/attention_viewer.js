/* The attention viewer's controls and stage. */

import { button, choice, field, slider } from "./controls.js";
import { factor, HeatGrid, name, pieces, summed, told } from "./heat_grid.js";
import { Bar, fixed, make, Row, Table } from "./parts.js";
import { view } from "./ports/attention_viewer.js";

const SHOWN_TERMS = 8; // of a dot product; of more, those that are zero are counted
const SHOWN_SUM = 8; // exponentials of a row; of more, their sum alone
const FEW_TIE = 4; // tokens that are named where they tie
const LEAST_SHARE = 5e-5; // of a token in what is copied
const SETTINGS = { head: "0", without: "none", query: -1, key: -1, scaled: true };
const MASKED = { sentence: true, heads: false, machine: true }; // as in the panels

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    // another source or text has other tokens: what was chosen of the old ones is let go
    const source = choice(tool.parameter("source"), ({ source }) => tool.set({ ...SETTINGS, source, mask: MASKED[source] }));
    const prompt = field(tool.parameter("prompt"), ({ prompt }, how) => tool.set({ prompt, query: -1, key: -1 }, how));
    const head = tool.choice("head");
    const without = tool.choice("without");
    const grid = new HeatGrid("Weights", (query, key) => tool.set({ query, key }), (query, key) => look(query, key));
    const next = new Next(tool);
    const queries = new Queries(tool);
    const cell = new Cell();
    let last;
    const look = (query, key) => cell.show(query < 0 ? last : view(tool.data, { ...tool.state(), query, key }), tool.state());
    const map = make("div", "attention__map", grid.element);
    const stage = make("div", "attention", map, ...cell.elements);
    const beside = { sentence: [queries], heads: [], machine: [next] }; // each source has only what it needs
    return {
      controls: [source, prompt, head, without, tool.box("mask"), tool.box("scaled")],
      stage: [stage],
      show(shown, state, anew) {
        last = shown;
        const { heads } = tool.data[state.source];
        head.element.hidden = state.source === "sentence";
        without.element.hidden = prompt.element.hidden = state.source !== "machine";
        head.element.querySelectorAll("option").forEach((option, index) => (option.textContent = heads[index] ?? ""));
        const { tokens, weights } = shown;
        const written = (weight) => fixed(weight, tokens.length > 4 ? 2 : 4);
        grid.label = `Weights of ${heads[Number(state.head)] ?? heads[0]}. Rows: queries, columns: keys.`;
        grid.show({
          rows: tokens,
          columns: tokens,
          values: weights,
          bound: 1,
          chosen: [shown.query, shown.key],
          written,
          said: (i, j) => `${tokens[i]} looks at ${tokens[j]}: ${weights[i][j] === null ? "masked" : written(weights[i][j])}`,
        });
        stage.classList.toggle("attention--wide", tokens.length > 8);
        const parts = beside[state.source];
        for (const part of [next, queries]) if (!parts.includes(part)) part.element.remove();
        for (const part of parts) {
          if (part.element.parentNode !== map) map.append(part.element);
          part.show(shown, anew);
        }
        cell.show(shown, state);
      },
    };
  },

  said(shown) {
    const weight = shown.weights[shown.query][shown.key];
    const next = shown.more.favourites ? `; next token: ${favourite(shown.more)}` : "";
    return `${shown.tokens[shown.query]} looks at ${shown.tokens[shown.key]}: ${weight === null ? "masked" : `weight ${fixed(weight)}`}${next}`;
  },
};

function favourite({ favourites, symbols }) {
  if (favourites.length > FEW_TIE) return `${favourites.length} tokens tie`;
  return favourites.map((at) => symbols[at]).join(" or ") || "all alike";
}

/** Four decimals, and not zero where there are many that share it. */
function chance(probability) {
  return probability >= LEAST_SHARE ? fixed(probability) : told(probability);
}

let notes = 0;

/** What the machine predicts. */
class Next {
  constructor(tool) {
    this.tool = tool;
    this.table = new Table("The next token", ["Token", "Probability", "as a bar"]);
    this.append = button("", () => this.#append());
    this.note = make("span", "attention__note");
    this.note.id = `attention-note-${++notes}`;
    this.append.setAttribute("aria-describedby", this.note.id);
    this.element = make("div", "attention__next", this.table.element, make("div", "", this.append, " ", this.note));
    this.bars = [];
  }

  show({ tokens, more }) {
    const { symbols, candidates, others, other, favourites } = more;
    const rows = candidates.map(({ places, each }) => [places.length > 1 ? `each of ${places.length} more` : symbols[places[0]], each]);
    rows.push([`each of ${others} others`, other]);
    name(this.table, `What the machine says after ${tokens.at(-1)}: ${favourite(more)}`);
    this.table.show(rows.map(([name, probability], row) => [name, chance(probability), this.#bar(row, probability)]));
    const best = favourites.length ? symbols[favourites[0]] : "";
    this.following = [...tokens.slice(1), best].join(" ");
    const problem = this.#problem(tokens, best);
    this.append.textContent = `Append ${best}`.trim();
    this.append.setAttribute("aria-disabled", String(Boolean(problem)));
    this.note.textContent = problem || (favourites.length > 1 ? `A tie; Append takes ${best}.` : "");
  }

  /** Why nothing can be appended, or nothing. */
  #problem(tokens, best) {
    const { longest } = this.tool.parameter("prompt");
    const most = this.tool.data.machine.most - 1;
    if (tokens.length > most) return `The prompt is full: ${most} tokens are the most.`;
    if (!best) return "All tokens are alike: there is none to append.";
    return [...this.following].length > longest ? `The prompt is full: ${longest} characters are the most.` : "";
  }

  #bar(row, probability) {
    this.bars[row] ??= new Bar();
    this.bars[row].share = probability;
    return this.bars[row].element;
  }

  #append() {
    if (this.append.getAttribute("aria-disabled") === "false") this.tool.set({ prompt: this.following, query: -1, key: -1 });
  }
}

/** The sentence's query in the chosen row: a slider for each of its numbers. */
class Queries {
  constructor(tool) {
    const { axes, queries } = tool.data.sentence;
    const { least, most } = tool.parameter("queries");
    this.title = make("p", "heat__title");
    this.sliders = axes.map((label, axis) =>
      slider({ kind: "number", name: label, label, start: 0, least, most, step: 0.5 }, (change, how) => {
        const { queries: own } = tool.state();
        const all = own.length ? [...own] : queries.flat();
        all[this.row * axes.length + axis] = change[label];
        return tool.set({ queries: all.join() === queries.flat().join() ? [] : all }, how);
      }),
    );
    this.axes = axes;
    const sliders = make("div", "attention__query", ...this.sliders.map(({ element }) => element));
    this.element = make("div", "", this.title, sliders);
  }

  show({ tokens, query, asks }, anew) {
    this.row = query;
    this.title.textContent = `The query of ${tokens[query]}: what it looks for`;
    const numbers = Object.fromEntries(this.axes.map((axis, index) => [axis, asks[index]]));
    for (const one of this.sliders) one.refresh(numbers, anew);
  }
}

/** The arithmetic of one cell, and of its row. */
class Cell {
  constructor() {
    this.steps = new Table("", ["Step", "Arithmetic"]);
    this.row = new Table("", ["Key", "q\u00a0·\u00a0k", "Score", "exp", "Weight"]);
    this.values = null;
    this.output = new Row("");
    this.after = new Row("Both heads side by side, and times W_O:");
    this.place = make("div", "attention__more");
    this.elements = [make("div", "attention__cell", this.steps.element, this.row.element), this.place];
  }

  show(shown, state) {
    const { tokens, query, key } = shown;
    name(this.steps, `How ${tokens[query]} weighs ${tokens[key]}`);
    this.steps.show(stepsOf(shown, state));
    name(this.row, `The row of ${tokens[query]}: what it gives to each key`);
    this.row.show(
      tokens.map((token, at) => [
        token,
        told(shown.products[at]),
        shown.seen[at] ? told(shown.scores[at]) : "−∞",
        told(shown.exponentials[at]),
        told(shown.weights[query][at] ?? 0),
      ]),
      tokens.map((_, at) => (at === key ? "attention__row--chosen" : "")),
    );
    this.#output(shown, state);
  }

  #output(shown, state) {
    const { tokens, query, columns, output, more } = shown;
    if (state.source === "machine") {
      this.place.replaceChildren(this.output.element);
      this.columns = "";
      const parts = columns.map((name, at) => [name, output[at]]).sort((a, b) => b[1] - a[1]);
      const some = parts.filter(([, share]) => share >= LEAST_SHARE).map(([name, share]) => `${told(share)} × ${name}`);
      const where = state.head === "0" ? "previous token" : "prediction";
      this.output.element.firstChild.textContent = `What ${tokens[query]} gets into its slot “${where}”:`;
      this.output.show(pieces(some.map((part, at) => (at ? `+ ${part}` : part))));
    } else {
      this.#weighted(shown);
    }
    if (more.merged) {
      this.place.append(this.after.element);
      this.after.show(pieces([`(${more.merged.map(told).join(", ")})`, `→ (${more.projected.map(told).join(", ")})`]));
    } else this.after.element.remove();
  }

  /** The values, each beside its weight, and their sum: a table whose columns are those of the source. */
  #weighted({ tokens, query, columns, values, weights, output }) {
    if (this.columns !== columns.join()) {
      this.columns = columns.join();
      this.values = new Table("", ["Value of", "Weight", ...columns]);
      this.place.replaceChildren(this.values.element);
    }
    name(this.values, `What ${tokens[query]} gets: values times weights`);
    this.values.show(
      [
        ...tokens.map((token, at) => [token, told(weights[query][at] ?? 0), ...values[at].map(told)]),
        ["output", "", ...output.map(told)],
      ],
      [...tokens.map(() => ""), "attention__row--chosen"],
    );
  }
}

/** From the dot product to the weight, a row for each step. */
function stepsOf({ tokens, axes, width, root, query, key, asks, offers, terms, products, scores, seen, largest, exponentials, sum, weights }, state) {
  const kept = terms.map((_, at) => at).filter((at) => width <= SHOWN_TERMS || terms[at] !== 0);
  const rest = width - kept.length;
  const written = kept.map((at) => `${factor(asks[at])} × ${factor(offers[at])} (${axes[at]})`);
  if (rest) written.push(`${rest} terms of zero`);
  const sums = exponentials.filter((_, at) => seen[at]).map(told);
  return [
    ["Dot product q · k", summed(written, told(products[key]))],
    [
      `÷ √${width}`,
      state.scaled ? summed([`${told(products[key])} / ${told(root)}`], told(scores[key])) : `switched off: ${told(scores[key])}`,
    ],
    ["Mask", maskOf(tokens, query, key, seen[key], state)],
    ["Exponential", summed([seen[key] ? `exp(${told(scores[key])} − ${factor(largest)})` : "exp(−∞)"], told(exponentials[key]))],
    ["Sum of the row", sums.length > SHOWN_SUM ? `${sums.length} exponentials: ${told(sum)}` : summed(sums, told(sum))],
    ["Weight", summed([`${told(exponentials[key])} / ${told(sum)}`], told(weights[query][key] ?? 0))],
  ];
}

function maskOf(tokens, query, key, seen, state) {
  if (!state.mask) return `${MASKED[state.source] ? "switched off" : "panel 20.4 has no mask"}: every key is seen`;
  const named = key === query ? "the query itself" : `${tokens[key]}, which comes ${key < query ? "before" : "after"} ${tokens[query]}`;
  return seen ? `seen: ${named}` : `masked: ${named}; the score counts as −∞`;
}
