/* The next-word explorer's controls and stage. */

import { MarkedBar } from "./bars.js";
import { button, choice } from "./controls.js";
import { draw, fixed, make, Row } from "./parts.js";
import { view } from "./ports/next_word_explorer.js";
import { END, START } from "./ports/ngram.js";
import { plain } from "./state.js";

const MANY = 16; // words, from which on their list scrolls
const NAMES = ["training text", "held-out text"];

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    // the other text has other words
    const text = choice(tool.parameter("text"), (change) => tool.set({ ...change, sentence: "" }));
    const settings = { k: tool.slider("k"), weight: tool.slider("weight"), discount: tool.slider("discount") };
    // right above what it moves, which a phone would else not show beside it
    const setting = make("div", "next-word__setting", ...Object.values(settings).map(({ element }) => element));
    const choices = [text, tool.choice("order"), tool.choice("smoother")];
    const sentence = new Sentence(tool);
    const words = new Words(tool, () => sentence.back.focus());
    const curve = new Curve(tool);
    const drawn = new Drawn(tool);
    return {
      controls: [...choices, tool.box("start_marker")],
      stage: [make("div", "next-word", sentence.element, make("div", "next-word__main", setting, words.element), make("div", "next-word__side", curve.element, drawn.element))],
      show(shown, state) {
        for (const [name, control] of Object.entries(settings)) {
          control.refresh(state);
          control.element.hidden = name !== shown.setting;
        }
        sentence.show(shown);
        words.show(shown);
        curve.show(shown, state);
        drawn.show(shown, state);
      },
    };
  },

  said(shown, state) {
    const scores = NAMES.map((name, which) => `${score(shown.perplexity[which], 2)} on the ${name}`).join(", ");
    return `${likeliest(shown)}; perplexity ${scores}; seed ${state.seed} writes “${shown.drawn[0].join(" ")}”`;
  },
};

function after(shown) {
  return shown.context.length ? `“${shown.context.join(" ")}”` : "any context";
}

function score(value, places = 3) {
  return value === null ? "infinite" : fixed(value, places);
}

/** A probability of four places; 0 and 1 are said only of what is impossible and certain. */
function chance(value) {
  if (value === 0 || value === 1) return String(value);
  if (value > 0.99995) return "> 0.9999";
  return value > 0 && value < 0.00005 ? "< 0.0001" : fixed(value);
}

/** The words of some places, of many only the first. */
function named({ vocabulary }, places) {
  const names = places.map((place) => `“${vocabulary[place]}”`);
  const [shown, more] = names.length > 3 ? [names.slice(0, 2), [`${names.length - 2} more`]] : [names, []];
  const all = [...shown, ...more];
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : all[0];
}

/** What is likeliest to come next, with all that are as likely. */
function likeliest(shown) {
  if (!shown.next) return `The sentence is complete, with probability ${shown.product.toPrecision(3)}`;
  const { probabilities } = shown.next;
  if (!probabilities) return `After ${after(shown)} the model has no answer`;
  const [first] = shown.next.favourites;
  const value = fixed(probabilities[first[0]], 2);
  if (first.length === shown.vocabulary.length) return `After ${after(shown)} all ${first.length} words are alike, ${value} each`;
  if (first.length > 1) return `After ${after(shown)} ${named(shown, first)} are likeliest, ${value} each`;
  return `After ${after(shown)} ${named(shown, first)} is likeliest, ${value}`;
}

/** The sentence so far, with the probability of each word, and how to take words back. */
class Sentence {
  constructor(tool) {
    this.words = make("ol", "next-word__sentence");
    const label = make("span", "instrument__name", tool.parameter("sentence").label);
    label.id = "next-word-sentence";
    this.words.setAttribute("aria-labelledby", label.id);
    this.back = button("Take back a word", () => {
      const words = tool.state().sentence.split(" ");
      tool.set({ sentence: words.slice(0, -1).join(" ") });
    });
    this.none = button("Start over", () => tool.set({ sentence: "" }));
    this.product = make("p", "instrument__row");
    this.element = make("div", "next-word__written", label, this.words, this.product, make("div", "next-word__buttons", this.back, this.none));
  }

  show(shown) {
    const { chances, context, next, words } = shown;
    const starts = next ? context.filter((token) => token === START).length : 0;
    const looked = next ? context.length - starts : 0;
    const items = [
      ...Array.from({ length: starts }, () => wordOf(START, "", true)),
      ...words.map((word, place) => wordOf(word, chance(chances[place]), place >= words.length - looked)),
    ];
    if (next) items.push(Object.assign(make("li", "next-word__next", "…"), { ariaHidden: "true" }));
    this.words.replaceChildren(...items);
    const product = `Chain rule: ${chances.map(chance).join(" × ")}${chances.length > 1 ? ` = ${Number(shown.product.toPrecision(3))}` : ""}`;
    this.product.textContent = chances.length ? product : "No word is written yet. Tap one below.";
    if (!next) this.product.append(`. The sentence is complete: that is its probability under the model.`);
    for (const one of [this.back, this.none]) one.setAttribute("aria-disabled", String(!words.length));
  }
}

/** @param {string} word @param {string} probability @param {boolean} looked whether the model looks at it for the next word */
function wordOf(word, probability, looked) {
  const element = make("li", `next-word__word${looked ? " next-word__word--context" : ""}`, make("span", "", word), " ");
  if (probability) element.append(make("span", "next-word__chance", probability));
  return element;
}

/** The vocabulary: how likely each word is to come next, and a button that writes it. */
class Words {
  /** @param {import("./mount.js").Tool} tool @param {() => void} ended called once the reader has written the sentence's end */
  constructor(tool, ended) {
    this.tool = tool;
    this.ended = ended;
    this.title = make("p", "instrument__name");
    this.list = make("ul", "next-word__words");
    this.likeliest = new Row("Likeliest:");
    this.told = make("p", "instrument__row");
    this.endings = new Row("Counted:");
    const key = (mark, text) => make("p", "next-word__key", make("span", `next-word__key-${mark}`), text);
    this.key = key("mark", "share of the counts, before smoothing");
    this.colours = [key("seen", "counted here"), key("unseen", "only from smoothing")];
    this.never = make("p", "next-word__key", `${START} cannot be written: it stands only before a sentence. A model that gives it a share draws it now and then.`);
    this.never.id = "next-word-never";
    this.element = make("div", "next-word__after", this.title, this.likeliest.element, this.list, make("div", "next-word__keys", ...this.colours, this.key), this.never, this.told, this.endings.element);
    this.rows = [];
  }

  show(shown) {
    const { next } = shown;
    const vocabulary = next ? shown.vocabulary : [];
    this.list.hidden = !next;
    this.title.textContent = next ? `Next word after ${after(shown)}` : "Nothing comes after the end";
    const many = vocabulary.length > MANY;
    this.list.classList.toggle("next-word__words--many", many);
    const probabilities = next?.probabilities;
    const largest = Math.max(...(probabilities ?? [1]), ...(next?.counted ?? [0]));
    vocabulary.forEach((word, place) => {
      const row = (this.rows[place] ??= this.#row());
      row.show(word, {
        probability: probabilities ? probabilities[place] : null,
        counted: next.counted ? next.counted[place] : null,
        count: next.counts[place],
        largest,
      });
      if (this.list.children[place] !== row.element) this.list.append(row.element);
    });
    while (this.list.children.length > vocabulary.length) this.list.lastChild.remove();
    this.likeliest.element.hidden = !many || !probabilities; // they may be out of sight in the list
    this.likeliest.show((next?.favourites ?? []).map((places) => this.#favourite(shown, places)).join(", "));
    this.told.hidden = !next?.told;
    this.told.textContent = next?.told ? `The model has no answer, UnseenContext: ${next.told}. With any smoothing it has one.` : "";
    this.key.hidden = !next?.counted;
    this.colours[0].hidden = !next?.total;
    this.colours[1].hidden = !probabilities?.some((probability, place) => probability > 0 && !next.counts[place]);
    this.never.hidden = !vocabulary.includes(START);
    this.endings.element.hidden = !next;
    const uncounted = vocabulary.includes(START) ? `; with ${START}, which is not counted, the list has ${vocabulary.length}` : "";
    this.endings.show((next?.endings ?? []).map(told).join("; ") + uncounted);
  }

  #favourite(shown, places) {
    const each = places.length > 1 ? " each" : "";
    const who = places.length === shown.vocabulary.length ? `all ${places.length} words alike,` : named(shown, places);
    return `${who} ${chance(shown.next.probabilities[places[0]])}${each}`;
  }

  #row() {
    return new Word((word) => {
      const { sentence } = this.tool.state();
      const problem = this.tool.set({ sentence: sentence ? `${sentence} ${word}` : word });
      if (word === END && !problem) this.ended(); // the list is gone, and the focus would be
    });
  }
}

function told({ context, total, different }) {
  if (!context.length) return `${total} tokens in all, ${different} different`;
  const name = `“${context.join(" ")}”`;
  return total ? `${name} ${total}×, before ${different} different` : `${name} never`;
}

/** A word of the vocabulary. */
class Word {
  /** @param {(word: string) => void} write */
  constructor(write) {
    this.button = button("", () => {
      if (this.button.getAttribute("aria-disabled") === "false") write(this.word);
    });
    this.bar = new MarkedBar();
    this.probability = make("span", "next-word__number");
    this.count = make("span", "next-word__count");
    this.element = make("li", "next-word__row", this.button, this.bar.element, " ", this.probability, " ", this.count);
  }

  show(word, { probability, counted, count, largest }) {
    if (this.word !== word) this.button.textContent = word;
    this.word = word;
    const isStart = word === START;
    this.button.setAttribute("aria-disabled", String(isStart));
    this.button.title = isStart ? "It stands only before a sentence" : "";
    if (isStart) this.button.setAttribute("aria-describedby", "next-word-never");
    else this.button.removeAttribute("aria-describedby");
    this.bar.show((probability ?? 0) / largest, counted === null ? null : counted / largest);
    this.probability.textContent = probability === null ? "none" : chance(probability);
    this.count.textContent = `${count}×`;
    this.element.classList.toggle("next-word__row--unseen", !count);
  }
}

const WIDTH = 320;
const HEIGHT = 190;
const FIELD = { left: 34, right: 312, top: 8, bottom: 162 };
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** The perplexity of both texts over the parameter; a press on it sets the parameter. */
class Curve {
  constructor(tool) {
    this.tool = tool;
    this.grid = draw("g", { class: "next-word__grid" });
    this.now = draw("line", { class: "next-word__now", y1: FIELD.top, y2: FIELD.bottom });
    this.lines = NAMES.map((_, which) => draw("path", { class: `next-word__line next-word__line--${which + 1}` }));
    this.ring = draw("circle", { class: "next-word__ring", r: 7 });
    this.points = [
      draw("circle", { class: "next-word__point next-word__line--1", r: 5 }),
      draw("path", { class: "next-word__point next-word__line--2", d: "M0 -6L6 0L0 6L-6 0Z" }),
    ];
    this.svg = draw("svg", { class: "next-word__curve", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
    this.svg.append(this.grid, this.now, ...this.lines, this.ring, ...this.points);
    this.svg.addEventListener("pointerdown", (event) => this.#held(/** @type {PointerEvent} */ (event)));
    this.svg.addEventListener("pointermove", (event) => this.#moved(/** @type {PointerEvent} */ (event)));
    this.title = make("p", "instrument__name", "Perplexity: how many equal choices is it like?");
    this.scores = NAMES.map((_, which) => make("li", `next-word__score next-word__score--${which + 1}`));
    this.lowest = make("p", "instrument__row");
    this.element = make("div", "next-word__perplexity", this.title, this.svg, make("ul", "next-word__scores", ...this.scores), this.lowest);
  }

  show(shown, state) {
    const { curve, impossible, perplexity, setting } = shown;
    NAMES.forEach((name, which) => {
      const why = impossible[which];
      const more = why.length > 2 ? ` and ${why.length - 2} more` : "";
      const zeros = why.length ? `: ${why.slice(0, 2).map((one) => `“${one}”`).join(", ")}${more} had probability 0` : "";
      this.scores[which].textContent = `${name}: ${score(perplexity[which])}${zeros}`;
    });
    this.svg.toggleAttribute("hidden", !curve);
    this.setting = setting;
    if (!curve) {
      this.grid.replaceChildren();
      this.lowest.textContent = "Maximum likelihood has no parameter. Choose a smoothing to see a curve.";
      return;
    }
    const parameter = this.tool.parameter(setting);
    const xs = this.tool.data.grids[setting];
    const top = Math.max(shown.vocabulary.length, ...curve.training, ...curve.held);
    this.x = axis(parameter.scale, parameter.least, parameter.most, FIELD.left + 6, FIELD.right - 6);
    this.y = axis("log", 1, top, FIELD.bottom, FIELD.top + 4);
    this.#ticks(parameter, shown.vocabulary.length, top);
    [curve.training, curve.held].forEach((ys, which) => {
      this.lines[which].setAttribute("d", `M${ys.map((y, place) => `${at(this.x(xs[place]))} ${at(this.y(y))}`).join("L")}`);
      this.points[which].setAttribute("transform", `translate(${at(this.x(state[setting]))} ${at(this.y(perplexity[which]))})`);
    });
    for (const end of ["x1", "x2"]) this.now.setAttribute(end, at(this.x(state[setting])));
    const best = xs[curve.lowest];
    this.ring.setAttribute("transform", `translate(${at(this.x(best))} ${at(this.y(curve.held[curve.lowest]))})`);
    const name = parameter.label[0].toLowerCase() + parameter.label.slice(1); // it stands within sentences
    this.lowest.textContent = `Lowest on the held-out text, of the points drawn: ${fixed(curve.held[curve.lowest], 3)} at ${name} = ${plain(Number(best.toPrecision(3)))} (ringed).`;
    const range = ([first, ...rest]) => `${fixed(first, 2)} to ${fixed(rest.at(-1), 2)}`;
    this.svg.setAttribute(
      "aria-label",
      `Perplexity for ${name} from ${parameter.least} to ${parameter.most}: training text ${range(curve.training)}, held-out text ${range(curve.held)}, lowest ${fixed(curve.held[curve.lowest], 2)}`,
    );
  }

  #ticks(parameter, size, top) {
    const xs = parameter.scale === "log" ? [0.001, 0.01, 0.1, 1, 10, 100] : [parameter.least, 0.25, 0.5, 0.75, parameter.most];
    const parts = TICKS.filter((y) => y <= top).flatMap((y) => [
      draw("line", { x1: FIELD.left, x2: FIELD.right, y1: at(this.y(y)), y2: at(this.y(y)) }),
      draw("text", { x: FIELD.left - 4, y: at(this.y(y) + 4), "text-anchor": "end" }, String(y)),
    ]);
    const uniform = at(this.y(size));
    const end = parameter.name === "weight"; // there the curves begin at this line, elsewhere they end near it
    parts.push(
      draw("line", { class: "next-word__uniform", x1: FIELD.left, x2: FIELD.right, y1: uniform, y2: uniform }),
      draw("text", { x: end ? FIELD.right : FIELD.left + 3, y: at(this.y(size) + 12), "text-anchor": end ? "end" : "start" }, `a guess among all ${size}`),
      ...xs.map((x) => draw("text", { x: at(this.x(x)), y: FIELD.bottom + 15, "text-anchor": "middle" }, plain(x))),
      draw("text", { x: (FIELD.left + FIELD.right) / 2, y: HEIGHT - 2, "text-anchor": "middle" }, parameter.label),
    );
    this.grid.replaceChildren(...parts.flatMap((part) => [part, " "]));
  }

  #held(event) {
    if (event.button) return;
    this.svg.setPointerCapture(event.pointerId);
    this.#moved(event);
  }

  #moved(event) {
    if (!this.svg.hasPointerCapture(event.pointerId)) return;
    const { left, width } = this.svg.getBoundingClientRect();
    const { least, most, scale } = this.tool.parameter(this.setting);
    const value = this.x.back(((event.clientX - left) / width) * WIDTH);
    const rounded = Number(scale === "log" ? value.toPrecision(3) : value.toFixed(2));
    this.tool.set({ [this.setting]: Math.min(most, Math.max(least, rounded)) });
  }
}

function at(place) {
  return String(Number(place.toFixed(2)));
}

/** From values to places; `back` leads from places to values. */
function axis(scale, least, most, from, to) {
  const [way, home] = scale === "log" ? [Math.log, Math.exp] : [(x) => x, (x) => x];
  const place = (value) => from + ((way(value) - way(least)) / (way(most) - way(least))) * (to - from);
  place.back = (where) => home(way(least) + ((where - from) / (to - from)) * (way(most) - way(least)));
  return place;
}

/** Sentences that the model writes. */
class Drawn {
  constructor(tool) {
    this.limit = tool.data.limit;
    this.seed = tool.number("seed");
    const another = button("Next seed", () => tool.set({ seed: (tool.state().seed + 1) % 4294967296 }));
    this.list = make("ol", "next-word__drawn");
    const title = make("p", "instrument__name", "Sentences that the model writes");
    this.element = make("div", "", title, this.list, make("div", "next-word__buttons", this.seed.element, another));
  }

  show(shown, state) {
    this.seed.refresh(state);
    const items = shown.drawn.map((sentence, place) => {
      const cut = sentence.length === this.limit ? " …" : "";
      const item = make("li", "", (sentence.join(" ") || "(no word)") + cut);
      if (shown.recited[place]) item.append(" ", make("span", "next-word__recited", "(in the training text)"));
      return item;
    });
    this.list.replaceChildren(...items);
  }
}
