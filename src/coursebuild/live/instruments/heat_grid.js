/* A heat map whose cells are chosen: by mouse, by finger, or by arrow keys. Several instruments have one. */

import { fixed, make } from "./parts.js";

/** What a heat map shows.
 * @typedef {object} Heat
 * @property {string[]} rows
 * @property {string[]} columns
 * @property {(number | null)[][]} values null where masked
 * @property {number} bound the value of the darkest shade
 * @property {[number, number] | null} chosen row and column
 * @property {(value: number) => string} written a value as its cell has it
 * @property {(row: number, column: number) => string} said a cell as a screen reader says it
 */

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const FEW = 4; // columns up to which cells are tall, and labels stand upright
const MANY = 8; // columns from above which cells are as small as a finger finds
const MOST = 10; // columns from above which a phone has no room for numbers

export class HeatGrid {
  /** @param {string} label @param {(row: number, column: number) => void} choose
   * @param {(row: number, column: number) => void} look while the mouse is over a cell; -1, -1 when it left
   */
  constructor(label, choose, look = () => {}) {
    this.choose = choose;
    this.look = look;
    this.title = make("p", "heat__title");
    this.table = make("table", "heat");
    this.table.setAttribute("role", "grid");
    this.scroll = make("div", "heat__scroll", this.table);
    this.hint = make("p", "heat__hint", "Wider than the screen: scroll it sideways →");
    this.element = make("div", "heat__place", this.title, this.hint, this.scroll);
    new ResizeObserver(() => this.#hint()).observe(this.scroll);
    this.label = label;
    this.cells = [];
    this.over = "";
    this.table.addEventListener("click", (event) => this.#at(event, (row, column) => this.#go(row, column)));
    this.table.addEventListener("keydown", (event) => this.#at(event, (row, column) => this.#key(event, row, column)));
    this.table.addEventListener("pointerover", (event) => {
      if (event.pointerType === "mouse") this.#at(event, (row, column) => this.#hover(row, column), () => this.#hover(-1, -1));
    });
    this.table.addEventListener("pointerleave", () => this.#hover(-1, -1));
  }

  set label(label) {
    this.title.textContent = label;
    this.table.setAttribute("aria-label", label);
  }

  /** Shows nothing. */
  clear() {
    this.title.textContent = "";
    this.table.replaceChildren();
    this.cells = [];
  }

  /** @param {Heat} heat */
  show({ rows, columns, values, bound, chosen, written, said }) {
    if (this.cells.length !== rows.length || this.cells[0].length !== columns.length) this.#make(rows.length, columns.length);
    rows.forEach((name, row) => (this.rows[row].textContent = name));
    columns.forEach((name, column) => (this.columns[column].firstChild.textContent = name));
    this.rows.forEach((head, row) => head.classList.toggle("heat__label--chosen", row === chosen?.[0]));
    this.columns.forEach((head, column) => head.classList.toggle("heat__label--chosen", column === chosen?.[1]));
    this.table.classList.toggle("heat--turned", columns.length > FEW && columns.some((name) => [...name].length > 2));
    values.forEach((line, row) =>
      line.forEach((value, column) => {
        const { cell, shade, number } = this.cells[row][column];
        const is = chosen !== null && row === chosen[0] && column === chosen[1];
        cell.classList.toggle("heat__cell--masked", value === null);
        cell.classList.toggle("heat__cell--chosen", is);
        cell.setAttribute("aria-selected", String(is));
        cell.setAttribute("aria-label", said(row, column));
        cell.tabIndex = is || (chosen === null && !row && !column) ? 0 : -1;
        shade.classList.toggle("heat__shade--negative", value < 0);
        shade.style.opacity = String(value === null ? 0 : Math.min(Math.abs(value) / bound, 1)); // of the shade: the number is beside it
        number.textContent = value === null ? "" : written(value);
      }),
    );
    if (chosen && this.table.contains(document.activeElement)) this.cells[chosen[0]][chosen[1]].cell.focus(); // one ring, not two
    this.#hint();
  }

  /** Says that there is more where the map is cut. */
  #hint() {
    this.hint.hidden = this.scroll.scrollWidth <= this.scroll.clientWidth;
  }

  #make(rows, columns) {
    const heads = Array.from({ length: columns }, () => Object.assign(make("th", "heat__column", make("span"), " "), { scope: "col" }));
    this.columns = heads;
    this.rows = Array.from({ length: rows }, () => Object.assign(make("th", "heat__row"), { scope: "row" }));
    this.cells = this.rows.map(() =>
      heads.map(() => {
        const shade = make("span", "heat__shade");
        const number = make("span", "heat__number");
        const cell = make("td", "heat__cell", shade, number, " "); // spaces part the numbers for one who reads the text
        cell.setAttribute("role", "gridcell");
        return { cell, shade, number };
      }),
    );
    this.table.replaceChildren(
      make("thead", "", make("tr", "", make("td", "heat__corner"), ...heads)),
      make("tbody", "", ...this.rows.map((name, row) => make("tr", "", name, ...this.cells[row].map(({ cell }) => cell)))),
    );
    this.table.classList.toggle("heat--some", columns > FEW);
    this.table.classList.toggle("heat--many", columns > MANY);
    this.table.classList.toggle("heat--most", columns > MOST);
    // then it scrolls where there is no room
    this.table.style.minInlineSize = columns > MOST ? `${2.4 + 1.22 * columns}rem` : columns > MANY ? `${3.2 + 1.4 * columns}rem` : "";
  }

  #at(event, found, none = () => {}) {
    const cell = event.target.closest(".heat__cell");
    const row = this.cells.findIndex((line) => line.some((one) => one.cell === cell));
    if (row < 0) none();
    else found(row, this.cells[row].findIndex((one) => one.cell === cell));
  }

  #go(row, column) {
    this.choose(row, column);
    this.cells[row][column].cell.focus();
  }

  #key(event, row, column) {
    const last = [this.cells.length - 1, this.cells[0].length - 1];
    let to;
    if (event.key in MOVES) to = [row + MOVES[event.key][0], column + MOVES[event.key][1]];
    else if (event.key === "Home") to = [event.ctrlKey ? 0 : row, 0];
    else if (event.key === "End") to = [event.ctrlKey ? last[0] : row, last[1]];
    else return;
    event.preventDefault(); // the page does not scroll
    if (to.every((place, axis) => place >= 0 && place <= last[axis])) this.#go(to[0], to[1]);
  }

  #hover(row, column) {
    if (this.over === `${row},${column}`) return;
    this.over = `${row},${column}`;
    this.look(row, column);
  }
}

/** A number as an instrument's arithmetic has it: four decimals at most; what they would round to zero as a power of ten.
 * @param {number} value of a size below 10²¹
 */
export function told(value) {
  const size = Math.abs(value);
  const text = trimmed(fixed(size));
  return `${value < 0 ? "−" : ""}${size && text === "0" ? scientific(size) : text}`;
}

/** A decimal without the zeros at its end. */
function trimmed(decimal) {
  return decimal.replace(/\.?0+$/, "");
}

/** A number below one as a power of ten. */
function scientific(size) {
  const [mantissa, power] = size.toExponential(1).split("e-");
  const ten = `10⁻${[...power].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(digit)]).join("")}`;
  return mantissa === "1.0" ? ten : `${trimmed(mantissa)}×${ten}`;
}

/** A factor of a product: in brackets if it has a sign or is a product itself.
 * @param {number} value
 */
export function factor(value) {
  const text = told(value);
  return /[−×]/.test(text) ? `(${text})` : text;
}

/** Names a table, whose caption changes with what it shows.
 * @param {import("./parts.js").Table} table @param {string} caption
 */
export function name(table, caption) {
  table.caption.textContent = caption;
  table.element.setAttribute("aria-label", caption);
}

/** A sum and what it comes to, in pieces.
 * @param {string[]} parts @param {string} total
 */
export const summed = (parts, total) => pieces([...parts.map((part, at) => (at ? `+ ${part}` : part)), `= ${total}`]);

/** Pieces of a line, each of which is broken only where it must be.
 * @param {string[]} pieces
 */
export const pieces = (pieces) => make("span", "", ...pieces.flatMap((piece) => [make("span", "heat__piece", piece), " "]));
