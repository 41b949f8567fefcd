/* The sampler lab's controls and stage. */

import { MarkedBar } from "./bars.js";
import { button, choice, entry } from "./controls.js";
import { Bar, draw, fixed, make, Row } from "./parts.js";
import { view } from "./ports/sampler_lab.js";
import { plain } from "./state.js";

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    // other tokens have logits of their own, and may be fewer than Top-k would keep
    const preset = choice(tool.parameter("from"), ({ from }) => {
      const top_k = Math.min(tool.state().top_k, tool.data.presets[from].tokens.length);
      return tool.set({ from, logits: [], history: [], top_k });
    });
    const first = new Result();
    const names = tool.parameter("order").choices.map(([name]) => name);
    const settings = Object.fromEntries(names.map((name) => [name, name === "top_k" ? new TopK(tool, name) : new Setting(tool, name)]));
    const order = tool.order("order", settings);
    const tokens = new Tokens(tool);
    const draws = new Draws(tool);
    const before = make("div", "sampler__before instrument__control--wide", make("span", "", "Softmax of the logits"), first.element);
    return {
      controls: [preset, { element: before, refresh() {} }, order],
      stage: [tokens.element, draws.element],
      show(shown, state, anew) {
        const steps = new Map(shown.steps.map((step) => [step.name, step]));
        const largest = Math.max(...shown.before, ...shown.steps.flatMap(({ after }) => after));
        first.show({ left: shown.tokens.length, entropy: shown.entropy[0], after: shown.before }, largest);
        for (const name of names) settings[name].show(steps.get(name), largest);
        tokens.show(shown, state, anew);
        draws.show(shown, state);
      },
    };
  },

  said(shown, state) {
    const settings = shown.steps.map(({ name }) => `${name.replaceAll("_", " ")} ${plain(state[name])}`).join(", then ");
    const came = state.history.length ? `${state.history.length} came: ${shown.tokens[state.history.at(-1)]} last; ` : "";
    const most = Math.max(...shown.counts);
    const token = shown.tokens[shown.counts.indexOf(most)];
    const drawn = `of ${Number(state.draws).toLocaleString("en")} draws with seed ${state.seed}, ${token} came most: ${most}×`;
    return `${came}${settings && `${settings}: `}${shown.left} of ${shown.tokens.length} tokens left, entropy ${fixed(shown.entropy[1])} nats; ${drawn}`;
  },
};

/** The logits of a state: the reader's own, or those that its tokens begin with. */
function logitsOf(data, state) {
  return state.logits.length ? state.logits : data.presets[state.from].logits;
}

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

  refresh(state, anew) {
    this.slider.refresh(state, anew);
  }

  show(step, largest) {
    this.result.show(step, largest);
    this.element.closest("li").classList.toggle("sampler__item--on", Boolean(step));
  }
}

/** Top-k: its slider ends at the number of tokens. */
class TopK extends Setting {
  constructor(tool, name) {
    super(tool, name);
    this.presets = tool.data.presets;
    /** @type {HTMLInputElement} */
    this.range = this.slider.element.querySelector("input[type=range]");
  }

  refresh(state, anew) {
    this.range.max = String(this.presets[state.from].tokens.length); // before the value, which it would cut
    super.refresh(state, anew);
  }
}

/** The tokens: each has its logit, how often it came, and its probability before and after the settings. */
class Tokens {
  constructor(tool) {
    this.tool = tool;
    this.list = make("ul", "sampler__tokens");
    this.clear = button("Clear counts", () => tool.set({ history: [] }));
    this.left = new Row("Left:");
    this.most = tool.parameter("history").longest;
    this.full = make("p", "sampler__key");
    this.full.id = "sampler-full";
    this.full.setAttribute("aria-live", "polite");
    const key = [
      make("p", "sampler__key", make("span", "sampler__key-before"), make("span", "", "before"), make("span", "sampler__key-after"), make("span", "", "after the settings")),
      make("p", "sampler__key", "×: how often a token came, for the penalties. Each press: once more; −: once less."),
    ];
    const head = make("p", "sampler__head", make("span", "instrument__name", "Tokens and logits"), this.clear);
    this.element = make("div", "sampler__stage", head, this.full, this.list, ...key, this.left.element);
    this.rows = [];
  }

  /** `anew`: what a reader typed as a logit and was refused goes too. */
  show(shown, state, anew) {
    const largest = Math.max(...shown.before, ...shown.after);
    const isFull = state.history.length === this.most;
    shown.tokens.forEach((token, index) => {
      const row = (this.rows[index] ??= new Token(this.tool, index));
      row.refresh(token, shown.logits[index], anew);
      row.show({
        isFull,
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
    const full = isFull ? `${this.most} tokens came, and more are not counted here: take one away first.` : "";
    if (this.full.textContent !== full) this.full.textContent = full;
    this.left.show(
      `${shown.left} of ${shown.tokens.length} tokens, ${fixed(shown.kept)} of the mass;`,
      `entropy ${fixed(shown.entropy[1])} nats (before: ${fixed(shown.entropy[0])})`,
    );
  }
}

/** A token: its logit by slider and by number, how often it came, and its probability before and after the settings. */
class Token {
  constructor(tool, index) {
    this.tool = tool;
    this.index = index;
    const { least, most } = tool.parameter("logits");
    this.parameter = { kind: "number", name: "logit", label: "", start: 0, least, most };
    this.name = make("span", "sampler__token");
    this.range = Object.assign(make("input", "instrument__range"), { type: "range", min: String(least), max: String(most), step: "0.1" });
    this.range.addEventListener("input", () => this.#set(Number(this.range.value)));
    this.field = Object.assign(make("input", "instrument__exact"), { type: "text", inputMode: "decimal", autocomplete: "off" });
    this.problem = Object.assign(make("p", "instrument__problem"), { id: `sampler-logit-${index}`, role: "alert" });
    this.field.setAttribute("aria-describedby", this.problem.id);
    this.entry = entry(this.parameter, this.field, (message) => this.#told(message), ({ logit }, how) => this.#set(logit, how));
    this.field.addEventListener("change", this.entry.take);
    this.more = button("", () => this.#more(), "sampler__came");
    this.less = button("−", () => this.#less(), "sampler__came");
    this.more.setAttribute("aria-describedby", "sampler-full");
    this.bars = [new Bar(), new Bar()];
    this.shares = this.bars.map(() => make("span", "sampler__share"));
    const bars = this.bars.flatMap((bar, place) => [bar.element, " ", this.shares[place], " "]);
    const pair = make("div", "sampler__pair", ...bars);
    this.element = make("li", "sampler__row", this.name, this.range, this.field, this.more, " ", pair, this.less, this.problem);
  }

  refresh(token, logit, anew = false) {
    const isOther = this.name.textContent !== token; // whose text was refused is no longer there
    this.name.textContent = token;
    this.parameter.label = `Logit of ${token}`;
    this.range.setAttribute("aria-label", `Logit of ${token}`);
    this.range.setAttribute("aria-valuetext", plain(logit));
    if (Number(this.range.value) !== logit) this.range.value = plain(logit);
    this.field.setAttribute("aria-label", `Logit of ${token}, exact`);
    this.entry.refresh({ logit }, anew || isOther);
  }

  show({ came, isFull, before, after, left, largest }) {
    const token = this.name.textContent;
    this.more.textContent = `${came}×`;
    this.more.setAttribute("aria-label", `${token} came ${came}×: once more`);
    this.more.setAttribute("aria-disabled", String(isFull));
    this.less.setAttribute("aria-label", `${token} came ${came}×: once less`);
    this.less.setAttribute("aria-disabled", String(!came));
    [before, after].forEach((share, place) => (this.bars[place].share = share / largest));
    this.shares[0].textContent = fixed(before);
    this.shares[1].textContent = left ? fixed(after) : "removed";
    this.element.classList.toggle("sampler__row--removed", !left);
  }

  #told(message) {
    if (this.problem.textContent !== message) this.problem.textContent = message;
    if (message) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }

  #more() {
    const { history } = this.tool.state();
    if (history.length < this.tool.parameter("history").longest) this.tool.set({ history: [...history, this.index] });
  }

  #less() {
    const { history } = this.tool.state();
    const last = history.lastIndexOf(this.index);
    if (last >= 0) this.tool.set({ history: history.filter((_, place) => place !== last) });
  }

  #set(logit, how = {}) {
    const logits = [...logitsOf(this.tool.data, this.tool.state())];
    logits[this.index] = logit;
    return this.tool.set({ logits }, how);
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
