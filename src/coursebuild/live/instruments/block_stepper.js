/* The block stepper's controls and stage. */

import { factor, HeatGrid, name, summed, told } from "./heat_grid.js";
import { draw, fixed, make, Row, Table } from "./parts.js";
import { view } from "./ports/block_stepper.js";

const SHORT = { norm: "norm", attention: "attn", feed_forward: "FF", add: "+" };
const NAMES = { pre: "pre-norm", post: "post-norm", none: "no norm" };

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    const { tokens, top } = tool.data;
    const controls = [tool.choice("order"), tool.choice("seed"), tool.choice("weights"), tool.slider("block"), tool.stepper("step", () => 6)];
    const flow = new Flow(tool);
    const said = make("p", "block__said");
    const alike = make("p", "block__said block__said--alike");
    const choose = (token, feature) => tool.set({ token, feature });
    const grids = [new HeatGrid("", choose), new HeatGrid("", choose), new HeatGrid("", choose)];
    const arithmetic = new Row("");
    const curve = new Curve(tool.data, (block) => tool.set({ block }));
    const sizes = new Table("", ["Order", "Size (rms)", "The next sublayer reads", "Changed by"]);
    return {
      controls,
      stage: [
        flow.element,
        said,
        alike,
        make("div", "block__grids", ...grids.map(({ element }) => element)),
        arithmetic.element,
        curve.element,
        sizes.element,
      ],
      show(shown, state) {
        flow.show(shown, state);
        said.replaceChildren(make("strong", "", `Block ${state.block} · step ${state.step}:`), ` ${sentenceOf(tool.data, state)}`);
        alike.hidden = !shown.alike;
        alike.textContent = shown.alike ? `The tokens have become the same: behind block ${state.block} their vectors agree in each decimal shown.` : "";
        const steps = tool.data.steps[state.order];
        const reads = state.step ? steps[state.step - 1][2] : [];
        const places = [...reads, state.step];
        const bound = Math.max(...places.flatMap((place) => shown.steps[place].rows.flat().map(Math.abs)));
        grids.forEach((grid, index) => {
          const place = places[index];
          grid.element.hidden = place === undefined;
          if (place === undefined) return grid.clear();
          const { rows, rms } = shown.steps[place];
          const written = (number) => fixed(number, bound < 10 ? 4 : bound < 100 ? 2 : 1).replace("-", "−");
          grid.label = `${index < reads.length ? (index ? "and " : "Reads ") : state.step ? "Gives " : ""}${nameOf(tool.data, state, place)} · rms ${fixed(rms, 2)}`;
          grid.show({
            rows: tokens,
            columns: rows[0].map((_, feature) => String(feature)),
            values: rows,
            bound,
            chosen: [state.token, state.feature],
            written,
            said: (row, column) => `${tokens[row]}, number ${column}: ${written(rows[row][column])}`,
          });
        });
        arithmetic.element.firstChild.textContent = `${tokens[state.token]}, number ${state.feature}:`;
        arithmetic.show(arithmeticOf(shown, tool.data, state));
        curve.show(shown, state);
        name(sizes, `Behind block ${state.block}. Changed by: the rms of output minus input, as a share of the input’s rms.`);
        sizes.show(
          Object.entries(shown.depth).map(([name, { sizes: all, read, change }]) => [
            NAMES[name],
            read === null ? above(top) : fixed(all[state.block], 2),
            read === null ? "–" : fixed(read, 2),
            change === null ? "–" : `${fixed(100 * change, 0)}%`,
          ]),
          Object.keys(shown.depth).map((name) => (name === state.order ? "block__row--chosen" : "")),
        );
      },
    };
  },

  said(shown, { order, step, block }) {
    return `Step ${step} of block ${block}: size ${fixed(shown.steps[step].rms, 2)}; behind the block ${fixed(shown.depth[order].sizes[block], 2)}`;
  },
};

function above(top) {
  return `above ${top.toLocaleString("en")}`;
}

/** What a step gives, by name.
 * @param {any} data @param {any} state @param {number} place
 */
function nameOf(data, { order, block }, place) {
  if (!place) return `x, the input of block ${block}`;
  const [kind, name] = data.steps[order][place - 1];
  const before = data.steps[order].slice(0, place - 1).filter(([other]) => other === kind).length;
  if (kind === "add") return before ? "second sum" : "first sum";
  return `${name.toLowerCase()}${before ? " again" : ""}`;
}

/** What a step does.
 * @param {any} data @param {any} state
 */
function sentenceOf({ steps, wide, width, orders }, { order, step, block }) {
  if (!step) return block > 1 ? `What block ${block} gets: the stream behind block ${block - 1}.` : "The block's input: a vector for each token, the stream.";
  const [kind] = steps[order][step - 1];
  const last = step === steps[order].length;
  const where = order === "pre" ? "It is a copy that is normalized; the stream passes beside it." : "It is the stream itself that is normalized.";
  const sentences = {
    norm: `Each token alone: minus its mean, divided by its spread. ${where}`,
    attention: "Each token averages what it and the tokens before it hand over. Here alone tokens see each other.",
    feed_forward: `Each token alone: widened from ${width} to ${wide} numbers, the negative ones dropped, narrowed again.`,
    add: `The sublayer's result is added to the stream.${last ? " This is the block's output." : ""}`,
  };
  const end = last && order === "post" ? ` This is the output of the block, ${orders[order].toLowerCase()}.` : "";
  return sentences[kind] + end;
}

/** How the chosen number comes about.
 * @param {any} shown @param {any} data @param {any} state
 */
function arithmeticOf({ steps, detail }, { tokens, steps: all, eps }, { order, step, token, feature }) {
  const number = steps[step].rows[token][feature];
  if (!step) return told(number);
  const [kind, , reads] = all[order][step - 1];
  if (kind === "norm") {
    const { mean, variance, root } = detail;
    const x = steps[reads[0]].rows[token][feature];
    return summed([`(${told(x)} − ${factor(mean)}) / √(${told(variance)} + ${told(eps)})`], `${told(x - mean)} / ${told(root)} = ${told(number)}`);
  }
  if (kind === "attention") {
    const seen = tokens.map((_, place) => place).filter((place) => place <= token);
    const terms = seen.map((place) => `${told(detail.weights[place])} × ${factor(detail.values[place])} (${tokens[place]})`);
    return summed(terms, told(number));
  }
  if (kind === "feed_forward") {
    const kept = detail.wide.map((_, place) => place).filter((place) => detail.wide[place] > 0);
    const terms = kept.map((place) => `${told(detail.wide[place])} × ${factor(detail.column[place])}`);
    const dropped = detail.wide.length - kept.length;
    const bias = `${factor(detail.bias)} (bias)`;
    return summed([...terms, bias], `${told(number)}; ${dropped} of ${detail.wide.length} wide numbers were negative, and dropped`);
  }
  return summed(detail.terms.map((term, index) => (index ? factor(term) : told(term))), told(number));
}

/** The block as a row of buttons, one for each step: sublayers above, the stream below them. */
class Flow {
  constructor(tool) {
    this.tool = tool;
    this.lines = draw("svg", { class: "block__lines", viewBox: "0 0 5 2", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.path = this.lines.appendChild(draw("path", { "vector-effect": "non-scaling-stroke" }));
    this.buttons = Array.from({ length: 7 }, (_, step) => {
      const label = make("span", "block__name");
      const full = make("span", "visually-hidden");
      const rms = make("span", "block__rms");
      const before = make("span", "visually-hidden", step ? `Step ${step}: ` : "Input: ");
      const element = Object.assign(make("button", "block__step", before, label, full, rms), { type: "button" });
      element.addEventListener("click", () => tool.set({ step }));
      return { element, label, full, rms };
    });
    this.element = make("div", "block__flow", this.lines, ...this.buttons.map(({ element }) => element));
    this.element.setAttribute("role", "group");
    this.element.setAttribute("aria-label", "The steps of the block");
  }

  /** @param {any} shown @param {any} state */
  show({ steps }, { order, step }) {
    const all = this.tool.data.steps[order];
    const reads = step ? all[step - 1][2] : [];
    // a column for each step but the sums, which stand below the sublayer that they add
    let column = 1;
    this.buttons.forEach(({ element, label, full, rms }, place) => {
      const kind = place ? all[place - 1][0] : "input";
      if (place && kind !== "add") column++;
      const below = !place || kind === "add" || (kind === "norm" && order === "post");
      element.style.gridArea = `${below ? 2 : 1} / ${column}`;
      label.textContent = place ? SHORT[kind] : "x";
      full.textContent = `${place ? ` (${all[place - 1][1].toLowerCase()})` : ""}, rms `;
      rms.textContent = fixed(steps[place].rms, 2);
      if (place === step) element.setAttribute("aria-current", "step");
      else element.removeAttribute("aria-current");
      element.classList.toggle("block__step--read", reads.includes(place));
    });
    this.path.setAttribute("d", order === "pre" ? PATH.pre : PATH.post);
  }
}

/** The stream along the lower row, and from where it is read up through the sublayer and down to the sum. */
const PATH = {
  pre: "M.5 1.5H4.5M1.5 1.5V.5H2.5V1.5M3.5 1.5V.5H4.5V1.5",
  post: "M.5 1.5H4.5M1 1.5V.5H1.5V1.5M3 1.5V.5H3.5V1.5",
};

const LEFT = 54;
const RIGHT = 272;
const TOP = 8;
const BOTTOM = 178;
const LOW = 0.5; // where the scale of sizes begins
const DASHES = { pre: "", post: "7 4", none: "2 3" };
const COLOURS = { pre: 1, post: 2, none: 3 };
const ROOM = 15; // a label's height

/** The size of the stream by depth in all three orders, both scales logarithmic, and where the present block is. */
class Curve {
  constructor({ deepest, top }, choose) {
    this.deepest = deepest;
    this.top = top;
    this.svg = draw("svg", { class: "block__curve", viewBox: "0 0 360 216", role: "img" });
    this.lines = {};
    const text = (x, y, content, anchor = "middle") => draw("text", { x, y, "text-anchor": anchor, class: "block__tick" }, content);
    for (const size of [1, 10, 100, 1000, 10000].filter((one) => one <= top)) {
      const y = this.#y(size);
      this.svg.append(draw("path", { d: `M${LEFT} ${y}H${RIGHT}`, class: "block__grid" }), text(LEFT - 5, y + 4, String(size), "end"));
    }
    for (const depth of [1, 2, 5, 10, 20, 50, 100].filter((one) => one <= deepest)) {
      const x = this.#x(depth);
      this.svg.append(draw("path", { d: `M${x} ${TOP}V${BOTTOM}`, class: "block__grid" }), text(x, BOTTOM + 15, String(depth)));
    }
    this.svg.append(text((LEFT + RIGHT) / 2, BOTTOM + 32, "depth (blocks)"));
    this.cursor = this.svg.appendChild(draw("path", { class: "block__cursor" }));
    for (const name of Object.keys(NAMES)) {
      const of = { class: `block__line block__line--${COLOURS[name]}` };
      this.lines[name] = {
        line: this.svg.appendChild(draw("path", { ...of, "stroke-dasharray": DASHES[name] })),
        dot: this.svg.appendChild(draw("circle", { ...of, r: 4.2 })),
        label: this.svg.appendChild(draw("text", { x: RIGHT + 8, class: "block__label" }, NAMES[name])),
        leader: this.svg.appendChild(draw("path", { class: "block__grid" })),
      };
    }
    this.title = make("p", "heat__title", "Size of the stream (rms) behind each block");
    this.element = make("div", "block__depth", this.title, this.svg);
    const at = (event) => {
      const { left, width } = this.svg.getBoundingClientRect();
      const share = (((event.clientX - left) / width) * 360 - LEFT) / (RIGHT - LEFT);
      choose(Math.min(deepest, Math.max(1, Math.round(deepest ** share))));
    };
    this.svg.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      this.svg.setPointerCapture(event.pointerId);
      at(event);
    });
    this.svg.addEventListener("pointermove", (event) => {
      if (this.svg.hasPointerCapture(event.pointerId)) at(event);
    });
  }

  /** @param {any} shown @param {any} state */
  show({ depth }, { block }) {
    const ends = [];
    const told = [];
    for (const [name, { sizes, read }] of Object.entries(depth)) {
      const { line, dot } = this.lines[name];
      const places = sizes.map((size, at) => [at, size]).slice(1);
      line.setAttribute("d", `M${places.map(([at, size]) => `${this.#x(at).toFixed(1)} ${this.#y(size).toFixed(1)}`).join("L")}`);
      dot.setAttribute("visibility", read === null ? "hidden" : "visible");
      if (read !== null) {
        dot.setAttribute("cx", String(this.#x(block)));
        dot.setAttribute("cy", String(this.#y(sizes[block])));
      }
      const [at, size] = places.at(-1);
      ends.push({ name, x: this.#x(at), y: this.#y(size) });
      told.push(`${NAMES[name]} ${read === null ? above(this.top) : fixed(sizes[block], 2)}`);
    }
    ends.sort((a, b) => a.y - b.y);
    let free = TOP;
    for (const { name, x, y } of ends) {
      const middle = Math.max(free, y);
      free = middle + ROOM;
      this.lines[name].label.setAttribute("y", String(middle + 4));
      this.lines[name].leader.setAttribute("d", `M${x} ${y}L${RIGHT + 5} ${middle}`);
    }
    this.cursor.setAttribute("d", `M${this.#x(block)} ${TOP}V${BOTTOM}`);
    this.svg.setAttribute("aria-label", `The size of the stream against depth, both on logarithmic scales. Behind block ${block}: ${told.join(", ")}.`);
  }

  #x(depth) {
    return LEFT + ((RIGHT - LEFT) * Math.log(depth)) / Math.log(this.deepest);
  }

  #y(size) {
    return BOTTOM - ((BOTTOM - TOP) * Math.log(size / LOW)) / Math.log(this.top / LOW);
  }
}
