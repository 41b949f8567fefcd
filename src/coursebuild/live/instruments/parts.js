/* Pieces of a page that several instruments are built of. Everything is text: nothing is ever put in as HTML. */

/** An element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {string} className @param {...(string | Node)} content
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, className = "", ...content) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...content);
  return element;
}

/** An element of SVG.
 * @param {string} tag @param {Record<string, string | number>} attributes @param {...(string | Node)} content
 */
export function draw(tag, attributes = {}, ...content) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...content);
  return element;
}

/** A bar as long as a share from 0 to 1; `share` can be set again. The number stands beside it. */
export class Bar {
  constructor() {
    this.element = make("span", "instrument__bar");
    this.element.setAttribute("aria-hidden", "true");
    this.fill = make("span", "instrument__fill");
    this.element.append(this.fill);
  }

  set share(share) {
    this.fill.style.inlineSize = `${100 * share}%`; // set by a script, which the page's policy allows
  }
}

/** A table whose cells change while its rows stay, so that focus and transitions do too. */
export class Table {
  /** @param {string} caption @param {string[]} head the columns' names, empty for one of bars */
  constructor(caption, head) {
    this.caption = make("caption", "", caption);
    this.body = make("tbody");
    const columns = make("tr", "", ...head.map((name) => (name ? Object.assign(make("th", "", name), { scope: "col" }) : make("td"))));
    this.table = make("table", "instrument__table", this.caption, make("thead", "", columns), this.body);
    this.element = make("div", "instrument__scroll", this.table);
    this.element.tabIndex = 0;
    this.element.setAttribute("role", "region");
    this.element.setAttribute("aria-label", caption);
    this.head = head;
  }

  /** Shows rows: each cell a text or a node; the first names its row.
   * @param {(string | Node)[][]} rows @param {string[]} classes one for each row, or empty
   */
  show(rows, classes = []) {
    while (this.body.rows.length > rows.length) this.body.deleteRow(-1);
    rows.forEach((cells, index) => {
      const row = this.body.rows[index] ?? this.#add();
      row.className = classes[index] ?? "";
      cells.forEach((content, column) => {
        const cell = row.cells[column];
        if (content instanceof Node ? cell.firstChild !== content || cell.childNodes.length > 1 : cell.textContent !== content || cell.children.length) {
          cell.replaceChildren(content);
        }
      });
    });
  }

  #add() {
    const row = this.body.insertRow();
    this.head.forEach((_, column) => {
      const cell = make(column ? "td" : "th");
      if (!column) cell.setAttribute("scope", "row");
      row.append(cell);
    });
    return row;
  }
}

/** A line of values with its name. */
export class Row {
  /** @param {string} label */
  constructor(label) {
    this.values = make("span", "instrument__values");
    this.element = make("p", "instrument__row", make("span", "instrument__label", label), " ", this.values);
  }

  /** @param {...(string | Node)} values parted by spaces */
  show(...values) {
    this.values.replaceChildren(...values.flatMap((value, index) => (index ? [" ", value] : [value])));
  }
}

/** A number with so many places, as Python's `f"{value:.4f}"` has it, but that zero has no sign.
 * @param {number} value of a size of at most 10⁹
 */
export function fixed(value, places = 4) {
  const text = value.toFixed(places);
  const isTie = /^50*$/.test(value.toFixed(100).slice(places - 100)); // JavaScript rounds these away from zero, Python to even
  const rounded = isTie && Number(text.at(-1)) % 2 ? (value - Math.sign(value) * 10 ** -places / 2).toFixed(places) : text;
  return Number(rounded) === 0 ? rounded.replace("-", "") : rounded;
}

/** A space, a line's end and the like as something that is seen.
 * @param {string} text
 */
export function visible(text) {
  return text.replaceAll(" ", "␣").replaceAll("\n", "↵").replaceAll("\t", "⇥") || "∅";
}
