/* The editor: a plain text field, laid over the same text in colours. Keyboards, undo, spelling of screen readers and
   search in the page stay the browser's own. */

const KEYWORDS = new Set(
  ("as assert async await break case class continue def del elif else except finally for from global if import " +
    "lambda match nonlocal pass raise return try while with yield").split(" "),
);
const WORDS = new Set("and in is not or".split(" "));
const CONSTANTS = new Set("False None True".split(" "));
const BUILTINS = new Set(
  ("abs all any bool bytes dict enumerate filter float frozenset hash id input int isinstance iter len list map max min " +
    "next open ord print range repr reversed round set sorted str sum super tuple type zip").split(" "),
);
const TOKEN = new RegExp(
  [
    "(?<comment>#[^\\n]*)",
    "(?<string>[rbfuRBFU]{0,2}(?:\"\"\"(?:\\\\[^]|[^\\\\])*?(?:\"\"\"|$)|'''(?:\\\\[^]|[^\\\\])*?(?:'''|$)" +
      "|\"(?:\\\\[^]|[^\"\\\\\\n])*\"?|'(?:\\\\[^]|[^'\\\\\\n])*'?))",
    "(?<number>0[xXoObB][\\da-fA-F_]+|\\d[\\d_]*\\.?[\\d_]*(?:[eE][+-]?\\d+)?)",
    "(?<word>[\\p{L}_][\\p{L}\\p{N}_]*)",
    "(?<sign>[^\\s\\p{L}\\p{N}_#\"']+)",
  ].join("|"),
  "gu",
);

/** Above this many characters a text is shown without colours: painting it would make typing slow. */
const PAINTED = 200_000;
const INDENT = "    ";
const GUARD = "require_"; // functions that only refuse bad arguments
const DEFINITION = /^(?:async +)?(def|class) +([\p{L}\p{N}_]+)/u;

/** The lines of a program, each as pieces with Pygments' class names, which the page's style knows.
 * @param {string} text
 * @returns {[string, string][][]}
 */
export function painted(text) {
  const lines = [[]];
  const add = (kind, piece) => {
    piece.split("\n").forEach((part, index) => {
      if (index) lines.push([]);
      if (part) lines.at(-1).push([kind, part]);
    });
  };
  if (text.length > PAINTED) {
    add("", text);
    return lines;
  }
  let end = 0;
  let before = "";
  for (const { 0: token, index, groups } of text.matchAll(TOKEN)) {
    add("", text.slice(end, index));
    add(kindOf(token, groups, before), token);
    end = index + token.length;
    before = token;
  }
  add("", text.slice(end));
  return lines;
}

function kindOf(token, groups, before) {
  if (groups.comment) return "c1";
  if (groups.string) return "s2";
  if (groups.number) return "mi";
  if (groups.sign) return "o";
  if (KEYWORDS.has(token)) return "k";
  if (WORDS.has(token)) return "ow";
  if (CONSTANTS.has(token)) return "kc";
  if (before === "def") return "nf";
  if (before === "class") return "nc";
  return BUILTINS.has(token) ? "nb" : "n";
}

/** The lines of one text that another has not: from the first that differs to the last. They end before they begin if
 * lines were only taken away.
 * @param {string} text
 * @param {string} original
 * @returns {null | {first: number, last: number}} counted from one; null where both are the same
 */
export function difference(text, original) {
  if (text === original) return null;
  const [lines, others] = [text.split("\n"), original.split("\n")];
  const { head, tail } = shared(lines, others);
  return { first: head + 1, last: lines.length - tail };
}

/** How many lines two texts begin with alike, and how many of the others they end with alike.
 * @param {string[]} lines
 * @param {string[]} others
 */
function shared(lines, others) {
  const fewest = Math.min(lines.length, others.length);
  let head = 0;
  while (head < fewest && lines[head] === others[head]) head++;
  let tail = 0;
  while (tail < fewest - head && lines.at(-1 - tail) === others.at(-1 - tail)) tail++;
  return { head, tail };
}

export class Editor {
  /** @param {{id: string, label: string, text: string, original: string, marker: string, own: string,
   *   onrun: () => void, oninput: () => void}} options `marker`: how the panel's own code begins; `own`: what that is called */
  constructor({ id, label, text, original, marker, own, onrun, oninput }) {
    this.original = original;
    this.marker = marker;
    this.own = own;
    this.onrun = onrun;
    this.oninput = oninput;
    this.typed = false;
    this.leaving = false;
    this.wrong = 0;
    this.shown = [];

    const help = make("p", "editor__help", "Ctrl or ⌘ with Enter runs it. Tab indents once you have typed; Esc, then Tab, leaves the field.");
    help.id = `${id}-help`;
    this.choice = make("select", "editor__choice");
    const choice = make("label", "editor__jump", "Jump to ");
    choice.append(this.choice);
    const head = make("div", "editor__head");
    head.append(make("p", "panel__label", label), choice);
    this.code = make("code");
    const pre = make("pre", "editor__paint");
    pre.setAttribute("aria-hidden", "true");
    pre.append(this.code);
    this.field = make("textarea", "editor__field");
    Object.assign(this.field, { spellcheck: false, autocapitalize: "off", autocomplete: "off", wrap: "off" });
    for (const [name, value] of Object.entries({
      autocorrect: "off",
      "aria-label": label,
      "aria-describedby": help.id,
      "data-gramm": "false",
      translate: "no",
    })) {
      this.field.setAttribute(name, value);
    }
    const frame = make("div", "editor__frame highlight");
    frame.append(pre, this.field);
    this.element = make("div", "editor");
    this.element.append(head, frame, help);

    this.field.addEventListener("beforeinput", (event) => this.#before(event));
    this.field.addEventListener("input", () => {
      this.typed = true;
      this.wrong = 0;
      this.#changed();
      this.oninput();
    });
    this.field.addEventListener("scroll", () => this.#follow());
    this.field.addEventListener("keydown", (event) => this.#key(event));
    this.field.addEventListener("blur", () => {
      this.leaving = false;
    });
    this.choice.addEventListener("change", () => this.jump(Number(this.choice.value)));
    this.choice.addEventListener("blur", () => {
      this.choice.selectedIndex = 0; // so that the same place can be chosen again
    });
    this.text = text;
    this.field.rows = Math.min(Math.max(text.split("\n").length + 1, 8), 26);
  }

  get text() {
    return this.field.value;
  }

  /** Puts another text in place: not by typing, so Tab still leaves the field. */
  set text(text) {
    this.field.value = text;
    this.typed = false;
    this.wrong = 0;
    this.#changed();
  }

  /** Where the panel's own code begins, counted from one. */
  get ownLine() {
    return this.marker ? this.text.split("\n").findIndex((line) => line.startsWith(this.marker)) + 1 || 1 : 1;
  }

  /** Shows a line near the top and puts the cursor on it.
   * @param {number} line counted from one
   * @param {{focus?: boolean, wrong?: boolean}} options
   */
  jump(line, { focus = false, wrong = false } = {}) {
    if (!(line >= 1)) return;
    const lines = this.text.split("\n");
    const place = Math.min(line, lines.length);
    const start = lines.slice(0, place - 1).reduce((sum, text) => sum + text.length + 1, 0);
    this.field.setSelectionRange(start, start);
    const height = parseFloat(getComputedStyle(this.field).lineHeight) || 20;
    this.field.scrollTop = (place - 1 - (wrong ? 4 : 1)) * height;
    this.field.scrollLeft = 0;
    this.wrong = wrong ? place : 0;
    this.#mark();
    if (focus) this.field.focus({ preventScroll: true });
    this.#follow();
  }

  #changed() {
    const lines = painted(this.text);
    const keys = lines.map((pieces) => pieces.map((piece) => piece.join("\u0001")).join("\u0002"));
    const { head, tail } = shared(keys, this.shown);
    const old = [...this.code.children].slice(head, this.shown.length - tail);
    const fresh = lines.slice(head, lines.length - tail).map(lineOf);
    const after = this.code.children[this.shown.length - tail] ?? null;
    for (const line of old) line.remove();
    const added = document.createDocumentFragment();
    added.append(...fresh);
    this.code.insertBefore(added, after);
    this.shown = keys;
    this.#mark();
    this.#offer();
    this.#follow();
  }

  /** Marks the lines that differ from the page's own, and the one that broke. */
  #mark() {
    const found = difference(this.text, this.original);
    [...this.code.children].forEach((line, index) => {
      const differs = found !== null && index + 1 >= found.first && index + 1 <= found.last;
      line.className = `line${differs ? " line--changed" : ""}${index + 1 === this.wrong ? " line--wrong" : ""}`;
    });
  }

  /** Fills the list of places to jump to, if they have changed. */
  #offer() {
    const places = [];
    const found = difference(this.text, this.original);
    if (found) places.push([`what differs (line ${found.first})`, found.first]);
    if (this.marker) places.push([this.own, this.ownLine]);
    this.text.split("\n").forEach((line, index) => {
      const [, kind, name] = DEFINITION.exec(line) ?? [];
      if (name && !name.startsWith(GUARD)) places.push([kind === "def" ? `${name}()` : name, index + 1]);
    });
    const key = JSON.stringify(places);
    if (key === this.offered) return;
    this.offered = key;
    this.choice.replaceChildren(
      new Option("choose a place", "0"),
      ...places.map(([name, line]) => new Option(name, String(line))),
    );
    this.choice.parentElement.hidden = places.length < 2;
  }

  #follow() {
    this.code.style.transform = `translate(${-this.field.scrollLeft}px, ${-this.field.scrollTop}px)`;
  }

  /** A new line begins where its text should: also on a phone, whose keyboard sends no key. */
  #before(event) {
    if (event.inputType !== "insertLineBreak" || event.isComposing) return;
    const line = this.text.slice(0, this.field.selectionStart).split("\n").at(-1);
    const more = /:\s*(#.*)?$/.test(line) ? INDENT : "";
    event.preventDefault();
    this.#insert(`\n${/^[ \t]*/.exec(line)[0]}${more}`);
  }

  #key(event) {
    const { key } = event;
    if (event.isComposing) return;
    if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      this.onrun();
    } else if (key === "Tab" && this.typed && !this.leaving && !event.shiftKey && !event.ctrlKey && !event.altKey) {
      event.preventDefault();
      this.#indent();
    }
    if (!["Tab", "Shift"].includes(key)) this.leaving = key === "Escape";
  }

  #indent() {
    const { selectionStart: start, selectionEnd: end } = this.field;
    if (!this.text.slice(start, end).includes("\n")) {
      this.#insert(INDENT);
      return;
    }
    const from = this.text.lastIndexOf("\n", start - 1) + 1;
    const block = this.text.slice(from, end).replace(/^(?=[^\n])/gm, INDENT);
    this.field.setSelectionRange(from, end);
    this.#insert(block);
    this.field.setSelectionRange(from, from + block.length);
  }

  /** Types a text for the reader, so that undo takes it back. */
  #insert(text) {
    if (document.execCommand("insertText", false, text)) return;
    this.field.setRangeText(text, this.field.selectionStart, this.field.selectionEnd, "end");
    this.field.dispatchEvent(new Event("input"));
  }
}

/** @param {[string, string][]} pieces */
function lineOf(pieces) {
  const line = make("span", "line");
  for (const [kind, text] of pieces) line.append(kind && kind !== "n" ? make("span", kind, text) : text);
  line.append("\n");
  return line;
}

/** An element with a class and a text; the text is never read as HTML.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [kind]
 * @param {string} [text]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, kind = "", text = "") {
  const element = document.createElement(name);
  if (kind) element.className = kind;
  if (text) element.textContent = text;
  return element;
}
