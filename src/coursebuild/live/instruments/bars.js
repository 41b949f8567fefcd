/* Bars that carry a mark, such as what was expected beside what came. */

import { make } from "./parts.js";

/** A bar with a mark across it; the numbers stand beside it, so it is hidden from screen readers. */
export class MarkedBar {
  constructor(className = "") {
    this.fill = make("span", "instrument__fill");
    this.mark = make("span", "instrument__tick");
    this.element = make("span", `instrument__bar instrument__bar--marked ${className}`.trim(), this.fill, this.mark);
    this.element.setAttribute("aria-hidden", "true");
  }

  /** @param {number} share how long the bar is, from 0 to 1 @param {number | null} mark where the mark stands; null for none */
  show(share, mark) {
    this.fill.style.inlineSize = `${100 * share}%`;
    this.mark.hidden = mark === null;
    if (mark !== null) this.mark.style.insetInlineStart = `${100 * mark}%`;
  }
}
