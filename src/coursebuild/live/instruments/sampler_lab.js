/* The sampler lab's controls and stage. */

import { MarkedBar } from "./bars.js";
import { button, choice } from "./controls.js";
import { Bar, draw, fixed, make, Row } from "./parts.js";
import { view } from "./ports/sampler_lab.js";
import { plain, read, Refused } from "./state.js";

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    // other tokens have logits of their own
    const preset = choice(tool.parameter("from"), (change) => tool.set({ ...change, logits: [], history: [] }));
    const first = new Result();
    const names = tool.parameter("order").choices.map(([name]) => name);
    const settings = Object.fromEntries(names.map((name) => [name, new Setting(tool, name)]));
    const tokens = new Tokens(tool);
    const draws = new Draws(tool);
    const before = make("div", "sampler__before instrument__control--wide", make("span", "", "Softmax of the logits"), first.element);
    return {
      controls: [preset, { element: before, refresh() {} }, tool.order("order", settings)],
      stage: [tokens.element, draws.element],
      show(shown, state) {
        const steps = new Map(shown.steps.map((step) => [step.name, step]));
        const largest = Math.max(...shown.before, ...shown.steps.flatMap(({ after }) => after));
        first.show({ left: shown.tokens.length, entropy: shown.entropy[0], after: shown.before }, largest);
        for (const name of names) settings[name].show(steps.get(name), largest);
        tokens.show(shown, state);
        draws.show(shown, state);
      },
    };
  },

  said(shown) {
    return `${shown.left} of ${shown.tokens.length} tokens left, entropy ${fixed(shown.entropy[1], 2)} nats`;
  },
};

/** What is left at a place of the order: the distribution as small bars, how many tokens, the entropy. */
class Result {
  constructor() {
    this.bars = draw("svg", { class: "sampler__bars", preserveAspectRatio: "none", "aria-hidden": "true" });
    this.left = make("span");
    this.entropy = make("span");
    this.element = make("span", "sampler__result", this.bars, make("span", "sampler__figures", this.left, " ", this.entropy));
  }

  /** @param {{left: number, entropy: number, after: number[]} | undefined} step none where a setting is off */
  show(step, largest) {
    this.bars.toggleAttribute("hidden", !step);
    this.left.textContent = step ? `${step.left} left` : "off";
    this.entropy.textContent = step ? `${fixed(step.entropy, 2)} nats` : "";
    if (!step) return;
    const { after } = step;
    this.bars.setAttribute("viewBox", `0 0 ${after.length} 1`);
    while (this.bars.children.length > after.length) this.bars.lastChild.remove();
    while (this.bars.children.length < after.length) this.bars.append(draw("rect", { x: this.bars.children.length + 0.1, width: 0.8 }));
    after.forEach((share, token) => {
      const height = share / largest;
      this.bars.children[token].setAttribute("y", String(1 - height));
      this.bars.children[token].setAttribute("height", String(height));
    });
  }
}

/** A setting in the list of their order: its slider, and what is left after it. */
class Setting {
  constructor(tool, name) {
    this.slider = tool.slider(name);
    this.slider.element.querySelector("label").classList.add("visually-hidden"); // the entry has the name already
    this.result = new Result();
    this.element = make("div", "sampler__setting", this.slider.element, this.result.element);
  }

  refresh(state) {
    this.slider.refresh(state);
  }

  show(step, largest) {
    this.result.show(step, largest);
    this.element.closest("li").classList.toggle("sampler__item--on", Boolean(step));
  }
}

/** The tokens: each has its logit, how often it came, and its probability before and after the settings. */
class Tokens {
  constructor(tool) {
    this.tool = tool;
    this.list = make("ul", "sampler__tokens");
    this.clear = button("Clear counts", () => tool.set({ history: [] }));
    this.left = new Row("Left:");
    const key = [
      make("p", "sampler__key", make("span", "sampler__key-before"), make("span", "", "before"), make("span", "sampler__key-after"), make("span", "", "after the settings")),
      make("p", "sampler__key", "×: how often a token came, for the penalties. Press for once more."),
    ];
    const head = make("p", "sampler__head", make("span", "instrument__name", "Tokens and logits"), this.clear);
    this.element = make("div", "sampler__stage", head, this.list, ...key, this.left.element);
    this.rows = [];
  }

  show(shown, state) {
    const largest = Math.max(...shown.before, ...shown.after);
    shown.tokens.forEach((token, index) => {
      const row = (this.rows[index] ??= new Token(this.tool, index));
      row.show(token, {
        logit: shown.logits[index],
        came: state.history.filter((one) => one === index).length,
        before: shown.before[index],
        after: shown.after[index],
        left: shown.final[index] !== null,
        largest,
      });
      if (this.list.children[index] !== row.element) this.list.append(row.element);
    });
    while (this.list.children.length > shown.tokens.length) this.list.lastChild.remove();
    this.clear.setAttribute("aria-disabled", String(!state.history.length));
    this.left.show(
      `${shown.left} of ${shown.tokens.length} tokens, ${fixed(shown.kept)} of the mass;`,
      `entropy ${fixed(shown.entropy[1])} nats (before: ${fixed(shown.entropy[0])})`,
    );
  }
}

class Token {
  constructor(tool, index) {
    this.tool = tool;
    this.index = index;
    const { least, most } = tool.parameter("logits");
    this.name = make("span", "sampler__token");
    this.range = Object.assign(make("input", "instrument__range"), { type: "range", min: String(least), max: String(most), step: "0.1" });
    this.range.addEventListener("input", () => this.#set(Number(this.range.value)));
    this.field = Object.assign(make("input", "instrument__exact"), { type: "text", inputMode: "decimal", autocomplete: "off" });
    this.field.addEventListener("change", () => this.#typed());
    this.came = button("", () => tool.set({ history: [...tool.state().history, index] }), "sampler__came");
    this.bars = [new Bar(), new Bar()];
    this.shares = this.bars.map(() => make("span", "sampler__share"));
    const bars = this.bars.flatMap((bar, place) => [bar.element, " ", this.shares[place], " "]);
    this.element = make("li", "sampler__row", this.name, this.range, this.field, this.came, " ", make("div", "sampler__pair", ...bars));
  }

  show(token, { logit, came, before, after, left, largest }) {
    this.name.textContent = token;
    const text = plain(logit);
    this.range.setAttribute("aria-label", `Logit of ${token}`);
    this.range.setAttribute("aria-valuetext", text);
    if (Number(this.range.value) !== logit) this.range.value = text;
    this.field.setAttribute("aria-label", `Logit of ${token}, exact`);
    this.field.removeAttribute("aria-invalid");
    if (this.field.value !== text) this.field.value = text;
    this.came.textContent = `${came}×`;
    this.came.setAttribute("aria-label", `${token} came ${came}×: once more`);
    [before, after].forEach((share, place) => (this.bars[place].share = share / largest));
    this.shares[0].textContent = fixed(before);
    this.shares[1].textContent = left ? fixed(after) : "removed";
    this.element.classList.toggle("sampler__row--removed", !left);
  }

  #typed() {
    try {
      const [logit, ...more] = read(this.tool.parameter("logits"), this.field.value.trim());
      if (logit === undefined || more.length) throw new Refused("one number");
      this.#set(logit);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.field.setAttribute("aria-invalid", "true");
    }
  }

  #set(logit) {
    const { data, set, state } = this.tool;
    const present = state();
    const logits = [...(present.logits.length ? present.logits : data.presets[present.from].logits)];
    logits[this.index] = logit;
    set({ logits });
  }
}

/** Draws from what is left: the first of them, and how often each token came, beside what is expected. */
class Draws {
  constructor(tool) {
    this.controls = [tool.choice("draws"), tool.number("seed")];
    const another = button("Next seed", () => tool.set({ seed: (tool.state().seed + 1) % 4294967296 }));
    this.first = new Row("The first:");
    this.list = make("ul", "sampler__counts");
    this.key = make("p", "sampler__key", make("span", "sampler__key-mark"), make("span", "", "expected: draws times probability"));
    const controls = make("div", "sampler__draw", ...this.controls.map(({ element }) => element), another);
    this.element = make("div", "sampler__draws", controls, this.first.element, this.list, this.key);
  }

  show(shown, state) {
    for (const control of this.controls) control.refresh(state);
    this.first.show(...shown.drawn.map((token) => shown.tokens[token]), ...(Number(state.draws) > shown.drawn.length ? ["…"] : []));
    const largest = Math.max(...shown.counts, ...shown.expected);
    const left = shown.tokens.flatMap((token, index) => (shown.final[index] === null ? [] : [{ token, index }]));
    this.list.replaceChildren(
      ...left.map(({ token, index }) => {
        const bar = new MarkedBar();
        bar.show(shown.counts[index] / largest, shown.expected[index] / largest);
        const figures = make("span", "sampler__count", `${shown.counts[index]}, expected ${fixed(shown.expected[index], 1)}`);
        return make("li", "", make("span", "", token), " ", bar.element, figures);
      }),
    );
  }
}
