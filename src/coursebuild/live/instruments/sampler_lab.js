/* The sampler lab's controls and stage. */

import { button } from "./controls.js";
import { Bar, fixed, make, Row, Table } from "./parts.js";
import { view } from "./ports/sampler_lab.js";
import { read, Refused } from "./state.js";

const SETTINGS = ["temperature", "top_k", "top_p", "min_p", "repetition_penalty", "frequency_penalty", "presence_penalty"];

/** @type {import("./mount.js").Instrument} */
export default {
  view,

  build(tool) {
    const preset = tool.choice("from");
    preset.element.addEventListener("change", () => tool.set({ logits: [], history: [] }), true); // before the choice itself
    const controls = [preset, ...SETTINGS.map(tool.slider), tool.order("order"), tool.number("seed")];
    const table = new Table("Each token, and its probability before and after the settings", [
      "Token",
      "Logit",
      "Softmax",
      "After the settings",
      "",
      "Came",
    ]);
    const left = new Row("Left:");
    const steps = new Table("What each setting leaves, in order", ["Setting", "Tokens left", "Entropy in nats"]);
    const draws = new Row("Draws:");
    const rows = [];
    const row = (index) => (rows[index] ??= new TokenRow(tool, index));
    return {
      controls,
      stage: [table.element, left.element, steps.element, draws.element],
      show(shown, state) {
        const isLeft = shown.final.map((logit) => logit !== null);
        table.show(
          shown.tokens.map((token, index) => [
            token,
            row(index).logit(token, shown.logits[index]),
            fixed(shown.before[index]),
            fixed(shown.after[index]),
            row(index).bar(shown.after[index]),
            row(index).came(token, state.history.filter((one) => one === index).length),
          ]),
          isLeft.map((is) => (is ? "" : "instrument__row--removed")),
        );
        left.show(
          `${shown.left} of ${shown.tokens.length} tokens left, ${fixed(shown.kept)} of the mass,`,
          `entropy ${fixed(shown.entropy[1])} nats (before: ${fixed(shown.entropy[0])})`,
        );
        steps.show(shown.steps.map((step) => [labelOf(step.name), String(step.left), fixed(step.entropy)]));
        steps.element.hidden = !shown.steps.length;
        draws.element.firstChild.textContent = `Draws with seed ${state.seed}:`;
        draws.show(...shown.draws.map((index) => shown.tokens[index]));
      },
    };
  },

  said(shown) {
    return `${shown.left} of ${shown.tokens.length} tokens left, entropy ${fixed(shown.entropy[1], 2)} nats`;
  },
};

function labelOf(name) {
  return name[0].toUpperCase() + name.slice(1).replace("_", name.startsWith("top") || name.startsWith("min") ? "-" : " ");
}

/** The parts of a token's row that are used by hand or move: they stay while the numbers change. */
class TokenRow {
  constructor(tool, index) {
    this.tool = tool;
    this.index = index;
    this.field = Object.assign(make("input", "instrument__exact"), { type: "text", inputMode: "decimal", autocomplete: "off" });
    this.field.addEventListener("change", () => this.#typed());
    this.shown = new Bar();
    this.count = make("span");
    this.more = button("+", () => tool.set({ history: [...tool.state().history, index] }));
    this.none = button("0", () => tool.set({ history: tool.state().history.filter((one) => one !== index) }));
    this.buttons = make("span", "instrument__came", this.count, " ", this.more, " ", this.none);
  }

  logit(token, value) {
    this.field.setAttribute("aria-label", `Logit of ${token}`);
    this.value = value;
    const text = String(value);
    if (this.field.value !== text) this.field.value = text;
    this.field.removeAttribute("aria-invalid");
    return this.field;
  }

  bar(share) {
    this.shown.share = share;
    return this.shown.element;
  }

  came(token, count) {
    this.count.textContent = `${count}×`;
    this.more.setAttribute("aria-label", `${token} came once more`);
    this.none.setAttribute("aria-label", `${token} did not come`);
    return this.buttons;
  }

  #typed() {
    const { data, parameter, state, set } = this.tool;
    const present = state();
    const logits = present.logits.length ? [...present.logits] : [...data.presets[present.from].logits];
    try {
      [logits[this.index]] = read(parameter("logits"), this.field.value.trim());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.field.setAttribute("aria-invalid", "true");
      return;
    }
    set({ logits });
  }
}
