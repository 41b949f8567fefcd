/* A panel that can be run and edited in the page. course.js imports this module when a reader first needs it.

   What comes from the worker, from an address or from this browser's storage is data: it is shown as text, never as HTML. */

import { Claims } from "./claims.js";
import { Editor, difference, make } from "./editor.js";
import { forget, keep, kept } from "./edits.js";
import { LIMIT, OUTPUT_LIMIT } from "./limits.js";
import { LONGEST, digest, editOf, fragmentOf } from "./links.js";
import { Runner } from "./runner.js";

const HERE = new URL("./", import.meta.url).href;
const PYTHON = "Python 3.12";
const SAVED_AFTER = 300; // milliseconds without a key
const LONG_LINK = 8000; // characters; some programs cut longer addresses
const LONGEST_SENTENCE = 1000; // characters of an error's message
/** Characters that change how others are shown, or that are not seen: code can hide behind them. */
const UNSEEN = /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\u{e0000}-\u{e0fff}]/u;
const EASE = 3; // an edited program gets so many times what the page's own took, if that is more than the limit

const runner = new Runner(HERE);
let keeping = false;
/** @type {Map<HTMLElement, Panel>} */
const panels = new Map();
let styled;

/** What the buttons of a panel's bar do. @param {HTMLElement} bar @param {"run" | "edit"} what */
export async function press(bar, what) {
  const panel = await panelOf(bar);
  for (const button of bar.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy");
  if (what === "run") await panel.run();
  else await panel.toggle();
}

/** Brings back the edits that this browser keeps of the panels of this page. @param {HTMLElement[]} bars */
export async function restore(bars) {
  for (const bar of bars) {
    const edit = kept(bar.dataset.panel);
    if (edit) await (await panelOf(bar)).restore(edit);
  }
}

/** Opens the edit that came with the address. Nothing of it runs. @param {string} fragment */
export async function open(fragment) {
  const edit = await editOf(fragment);
  if (!edit) return;
  /** @type {NodeListOf<HTMLElement>} */
  const bars = document.querySelectorAll(".live");
  const bar = [...bars].find(({ dataset }) => dataset.panel === edit.panel);
  if (bar) await (await panelOf(bar)).borrow(edit);
  else await announce(`The link to this page holds an edit of a panel “${edit.panel.slice(0, 40)}”, which is not on it.`);
}

async function panelOf(bar) {
  await style();
  if (!panels.has(bar)) panels.set(bar, new Panel(bar));
  return panels.get(bar);
}

/** Loads the style sheet; what it is for is made after that, so that nothing is seen without it. */
function style() {
  styled ??= new Promise((done) => {
    const link = Object.assign(make("link"), { rel: "stylesheet", href: new URL("live.css", HERE).href });
    link.addEventListener("load", done);
    link.addEventListener("error", done);
    document.head.append(link);
  });
  return styled;
}

/** Has all kept that runs the panels of this page without a network, also what came before the service worker did. */
async function keepAll() {
  const keeper = navigator.serviceWorker?.controller;
  if (!keeper) return;
  const { runtime, sizes, harness, wheel } = await (await fetch(new URL("manifest.json", HERE))).json();
  const python = Object.keys(sizes).filter((name) => name !== harness && name !== wheel);
  const own = ["manifest.json", "worker.js", "python.js", "limits.js", harness, wheel];
  /** @type {NodeListOf<HTMLElement>} */
  const bars = document.querySelectorAll(".live[data-program]");
  keeper.postMessage([
    ...own.map((name) => new URL(name, HERE).href),
    ...python.map((name) => new URL(name, new URL(runtime, HERE)).href),
    ...[...bars].map(({ dataset }) => new URL(dataset.program, document.baseURI).href),
  ]);
}

/** Says something that concerns no panel, at the top of the page's text. */
async function announce(text) {
  await style();
  const place = document.querySelector(".md-content__inner") ?? document.body;
  place.querySelector(":scope > .live__notice")?.remove();
  const notice = make("p", "live__notice");
  notice.setAttribute("role", "status");
  const heading = place.querySelector(":scope > h1");
  if (heading) heading.after(notice);
  else place.prepend(notice);
  notice.textContent = text;
  notice.scrollIntoView({ block: "center" });
}

class Panel {
  /** @param {HTMLElement} bar */
  constructor(bar) {
    const { panel, program, files, exercise, answer } = bar.dataset;
    this.bar = bar;
    this.section = /** @type {HTMLElement} */ (bar.closest(".panel"));
    this.ident = panel;
    this.program = program ? new URL(program, document.baseURI).href : "";
    this.files = (files ?? "").split(" ").filter(Boolean).map((file) => new URL(file, this.program).href);
    this.exercise = exercise ? { ident: exercise, answer } : null;
    this.marker = exercise ? "" : `# panel ${panel}: `;
    this.original = null;
    this.editor = null;
    this.running = false;
    this.ran = false;
    this.took = 0; // seconds of the page's own program on this device
    this.late = false; // the limit has stopped the last run
    this.lost = null; // the edit that Reset took away
    this.borrowed = false; // the text came with a link and the reader has not typed yet
    this.unsaved = false;
    this.turn = 0; // the outcome of an earlier run is not shown
    this.claims = new Claims(this.section, exercise ? "Checks of your answer" : "Claims checked");
    this.output = null;
    this.#furnish();
    addEventListener("pagehide", () => this.#save());
    document.addEventListener("visibilitychange", () => this.#save());
  }

  get text() {
    return this.editor ? this.editor.text : this.original;
  }

  get edited() {
    return this.text !== this.original;
  }

  /** Runs what the editor has, or the page's own program, which ends, if late on a slow phone.
   * @param {{limit?: number}} [options] seconds; 0 is no limit
   */
  async run({ limit = this.edited || this.exercise ? Math.max(LIMIT, Math.ceil(EASE * this.took)) : 0 } = {}) {
    if (this.running || !(await this.#prepare())) return;
    this.#save();
    this.running = true;
    this.#tell("");
    const [code, edited] = [this.text, this.edited];
    const turn = ++this.turn;
    this.#busy("Loading Python…");
    let result;
    try {
      const { marker, files, exercise } = this;
      result = await runner.run(
        { code, name: `${this.ident}.py`, marker, files, exercise, limit, fresh: this.borrowed },
        {
          onprogress: (progress) => turn === this.turn && this.#loading(progress),
          onrunning: () => turn === this.turn && this.#running(limit),
          onoutput: (text) => turn === this.turn && this.#print(text),
        },
      );
    } catch (error) {
      if (turn !== this.turn) return;
      this.#quiet();
      this.#tell(`${sentence(error)} Run tries again.`);
      return;
    }
    if (turn !== this.turn) return;
    const follows = inView(this.runs);
    this.#quiet();
    this.#show(result, edited);
    if (!keeping) {
      keeping = true;
      keepAll().catch(() => {}); // without it the panels run as long as there is a network
    }
    if (follows) this.status.scrollIntoView({ block: "nearest" }); // the editor may fill a phone's screen
  }

  /** Opens the editor, or closes it where nothing is edited. */
  async toggle() {
    if (!(await this.#prepare())) return;
    const edit = kept(this.ident); // of another window, or of before, when the program could not be loaded
    if (this.editor) this.#close();
    else if (edit && edit.text !== this.original) await this.restore(edit);
    else {
      this.#edit(this.original, { focus: true });
      this.#tell("");
    }
    this.#buttons();
  }

  /** Brings an edit back that this browser kept. @param {{text: string, of: string}} edit */
  async restore(edit) {
    if (this.editor || !(await this.#prepare()) || edit.text === this.original) return;
    this.#edit(edit.text);
    const stale = edit.of !== digest(this.original);
    this.#tell(
      stale
        ? "This is your edit of an earlier version of this program. The page's own program has changed since: Reset shows it."
        : "This is your edit from before, kept in this browser. Reset brings the page's own program back.",
    );
    this.#buttons();
  }

  /** Opens an edit that came with a link. @param {{text: string, problem: string}} edit */
  async borrow({ text, problem }) {
    this.section.scrollIntoView();
    if (!(await this.#prepare())) return;
    if (problem) {
      this.#tell(`The edit in this link cannot be shown: ${problem}. Ask for the link again.`);
      return;
    }
    this.#abandon();
    this.#save();
    this.#restorePage();
    this.#edit(text);
    this.borrowed = true;
    const own = kept(this.ident);
    const words = ["This edit came with the link. Read it, then press Run."];
    const changed = difference(text, this.original);
    if (!changed) words[0] = "The link's program is the page's own.";
    else if (changed.last > changed.first) words.push(`Lines ${changed.first} to ${changed.last} are not the page's own.`);
    else if (changed.last === changed.first) words.push(`Line ${changed.first} is not the page's own.`);
    else words.push(`Lines are missing before line ${changed.first}.`);
    if (UNSEEN.test(text)) words.push("Beware: it holds characters that cannot be seen.");
    if (own && own.text !== text) words.push("Your own edit is kept until you type here; Reset brings it back.");
    this.#tell(words.join(" "));
    this.#buttons();
    this.status.scrollIntoView({ block: "end" });
  }

  /** Reads the program that the page shows. @returns {Promise<boolean>} whether it is there */
  async #prepare() {
    if (this.original !== null) return true;
    if (this.exercise) {
      const start = this.section.querySelector(":scope > .panel__code code").textContent.trim();
      this.original = `${start}\n${this.exercise.answer === "answer" ? "\n\nanswer = ...  # your value\n" : ""}`;
      return true;
    }
    try {
      const answer = await fetch(this.program, { cache: "no-cache" });
      if (!answer.ok) throw new Error(`the server says ${answer.status}`);
      this.original = (await answer.text()).replace(/\r\n?/g, "\n");
      return true;
    } catch (error) {
      this.#tell(`The program could not be loaded: ${sentence(error)} Try again when you are online.`);
      return false;
    }
  }

  /** Makes what stands below the buttons. */
  #furnish() {
    const button = (kind, text, action) => {
      const made = Object.assign(make("button", kind, text), { type: "button", hidden: true });
      made.addEventListener("click", action);
      return made;
    };
    const [runs, edits] = this.bar.querySelectorAll("button");
    this.runs = runs;
    this.edits = edits;
    this.resets = button("live__reset", "Reset", () => this.#reset());
    this.copies = button("live__copy", "Copy link to this edit", () => this.#copy());
    this.stops = button("live__stop", "Stop", () => runner.stop("by you"));
    this.undoes = button("live__undo", "Bring my edit back", () => this.#bringBack());
    this.longer = button("live__longer", "Run without a limit", () => this.run({ limit: 0 }));
    this.edits.after(this.resets, this.copies, this.undoes, this.longer);
    this.progress = make("progress");
    this.progress.setAttribute("aria-label", "Loading Python");
    this.doing = make("span", "live__doing");
    this.activity = make("div", "live__activity");
    this.activity.hidden = true; // and with it Stop
    this.stops.hidden = false;
    this.activity.append(this.stops, this.doing, this.progress);
    this.status = make("p", "live__status");
    this.status.setAttribute("role", "status");
    this.status.setAttribute("aria-live", "polite");
    this.note = make("p", "live__note");
    this.note.hidden = true;
    this.extra = make("div", "live__extra");
    this.warning = make("p", "live__warning");
    this.warning.setAttribute("role", "status");
    this.bar.append(this.activity, this.status, this.note, this.warning, this.extra);
  }

  #edit(text, { focus = false } = {}) {
    if (this.editor) this.editor.text = text;
    else {
      this.editor = new Editor({
        id: `editor-${this.ident}`,
        label: this.exercise ? "Your answer" : "The whole program",
        text,
        original: this.original,
        marker: this.marker,
        own: `panel ${this.ident}`,
        onrun: () => this.run(),
        oninput: () => this.#typed(),
      });
      this.section.classList.add("panel--edited");
      this.bar.before(this.editor.element);
    }
    this.editor.jump(difference(text, this.original)?.first ?? this.editor.ownLine, { focus });
    if (focus) this.editor.element.scrollIntoView({ block: "nearest" });
  }

  #close() {
    this.editor.element.remove();
    this.editor = null;
    this.section.classList.remove("panel--edited");
  }

  #typed() {
    if (this.borrowed) this.#settle();
    this.lost = null;
    this.extra.replaceChildren();
    this.#buttons();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#save(), SAVED_AFTER);
    this.unsaved = true;
  }

  /** From here on the text that came with a link is the reader's own: a reload shows theirs, not the link's. */
  #settle() {
    this.borrowed = false;
    if (location.hash.startsWith("#edit=")) history.replaceState(history.state, "", location.pathname + location.search);
  }

  #save() {
    clearTimeout(this.timer);
    if (!this.unsaved) return;
    this.unsaved = false;
    if (!this.edited) {
      this.warning.textContent = "";
      forget(this.ident);
      return;
    }
    const long = this.text.length > LONGEST;
    const stored = !long && keep(this.ident, this.text, this.original);
    const why = long ? "it is longer than 200,000 characters" : "the browser forbids it, or has no room left";
    this.warning.textContent = stored ? "" : `Your edit is not kept when you leave this page: ${why}.`;
  }

  /** Stops a run whose outcome nobody will see. */
  #abandon() {
    if (!this.running) return;
    this.turn++;
    runner.stop("by you");
    this.#quiet();
  }

  /** Puts everything back as the page was made. An edit that this takes away can be brought back. */
  #reset() {
    this.#abandon();
    this.#save();
    const [text, edited, borrowed] = [this.text, this.edited, this.borrowed];
    const own = borrowed ? kept(this.ident) : null;
    this.#settle();
    this.#restorePage();
    this.warning.textContent = "";
    if (own && own.text !== text) {
      this.#edit(own.text);
      this.#tell("Your own edit is back. Reset once more brings the page's own program back.");
    } else {
      if (this.editor) this.#close();
      if (edited && kept(this.ident)?.text === text) forget(this.ident); // another window may have kept another edit
      this.lost = edited ? text : null;
      this.#tell("This is the page's own panel again.");
    }
    this.#buttons();
    if (this.resets.hidden) this.runs.focus({ preventScroll: true });
  }

  #bringBack() {
    const text = this.lost;
    this.lost = null;
    this.#edit(text, { focus: true });
    this.unsaved = true;
    this.#save();
    this.#tell("Your edit is back.");
    this.#buttons();
  }

  async #copy() {
    this.extra.replaceChildren();
    if (this.text.length > LONGEST) {
      this.#tell("A link holds at most 200,000 characters of program.");
      return;
    }
    let link;
    try {
      link = location.href.split("#")[0] + (await fragmentOf(this.ident, this.text));
    } catch {
      this.#tell("This browser is too old to make such a link.");
      return;
    }
    const length = link.length > LONG_LINK ? ` It is long, ${link.length.toLocaleString("en")} characters: some programs cut such links.` : "";
    try {
      await navigator.clipboard.writeText(link);
      this.#tell(`The link is copied. It opens this page with your edit; nothing runs until Run is pressed.${length}`);
    } catch {
      const field = Object.assign(make("input", "live__link"), { readOnly: true, value: link });
      field.setAttribute("aria-label", "Link to this edit");
      this.extra.append(field);
      field.focus();
      field.select();
      this.#tell(`This browser does not let the page copy. Copy the link below.${length}`);
    }
  }

  /** Shows the buttons that can be used. Whoever stood on one that goes away stands on Run. */
  #buttons() {
    const focused = document.activeElement;
    const edited = this.editor !== null && this.edited;
    this.edits.hidden = edited;
    this.edits.textContent = this.editor ? "Close" : "Edit";
    this.edits.setAttribute("aria-expanded", String(this.editor !== null));
    this.resets.hidden = !edited && !this.ran;
    this.copies.hidden = !edited;
    this.undoes.hidden = this.lost === null;
    this.longer.hidden = !this.late || this.running;
    this.activity.hidden = !this.running;
    this.runs.setAttribute("aria-disabled", String(this.running));
    if (focused instanceof HTMLElement && this.bar.contains(focused) && !focused.checkVisibility?.()) {
      this.runs.focus({ preventScroll: true });
    }
  }

  #tell(...parts) {
    this.status.replaceChildren(...parts);
  }

  #busy(doing) {
    this.progress.hidden = false;
    this.progress.removeAttribute("value");
    this.doing.textContent = doing;
    this.claims.busy = true;
    this.started = false;
    this.#buttons();
    const began = Date.now();
    this.loaded = false;
    clearInterval(this.clock);
    this.clock = setInterval(() => {
      if (this.loaded) this.doing.textContent = `Starting Python: ${Math.floor((Date.now() - began) / 1000)} s`;
    }, 1000);
    this.#tell("Python is starting.");
    this.status.classList.add("visually-hidden"); // those who see have the line above
  }

  #quiet() {
    clearInterval(this.clock);
    this.running = false;
    this.status.classList.remove("visually-hidden");
    this.claims.busy = false;
    this.#buttons();
  }

  #loading({ loaded, total }) {
    if (!(total > 0) || this.started) return;
    const share = Math.min(loaded / total, 1);
    this.progress.value = share;
    this.loaded = share === 1;
    const [done, all] = [loaded, total].map((bytes) => (bytes / 1e6).toFixed(1));
    this.doing.textContent =
      share < 1 ? `Loading Python: ${done} of ${all} MB, ${Math.floor(100 * share)} %` : "Starting Python…";
  }

  #running(limit) {
    this.started = true;
    this.progress.hidden = true;
    this.#empty();
    const began = Date.now();
    const tick = () => {
      const seconds = Math.floor((Date.now() - began) / 1000);
      this.doing.textContent = `Running: ${seconds} s${limit ? ` of at most ${limit} s` : ""}`;
    };
    tick();
    clearInterval(this.clock);
    this.clock = setInterval(tick, 1000);
    this.#tell("Running.");
  }

  /** Makes room for what the run prints: in the page's block of output, or in one of its own. */
  #empty() {
    this.#restorePage();
    /** @type {HTMLElement | null} */
    let block = this.section.querySelector(":scope > .panel__output");
    const own = Boolean(block);
    if (!block) {
      block = make("div", "panel__output");
      this.bar.after(block);
      block.hidden = true;
    }
    const children = [...block.childNodes];
    block.style.minBlockSize = own ? `${block.offsetHeight}px` : "";
    this.printed = document.createTextNode("");
    const code = make("code");
    code.append(this.printed);
    code.tabIndex = 0;
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", `Output of your run of ${this.ident}`);
    const frame = framed(code);
    frame.classList.add("live__printed");
    block.replaceChildren(make("p", "panel__label", "Output of your run"), frame);
    this.output = { block, own, children, frame };
  }

  #print(text) {
    if (!this.output) return;
    this.output.block.hidden = false;
    this.printed.appendData(text);
  }

  /** Output and claims as the page has them. */
  #restorePage() {
    if (this.output?.own) this.output.block.replaceChildren(...this.output.children);
    else this.output?.block.remove();
    if (this.output) this.output.block.style.minBlockSize = "";
    this.output = null;
    for (const made of this.section.querySelectorAll(":scope > :is(.live__error, .live__graded)")) made.remove();
    this.claims.reset();
    this.note.hidden = true;
    this.extra.replaceChildren();
    this.ran = this.late = false;
  }

  #show(result, edited) {
    if (!this.output && result.stopped) {
      this.#tell(stopped(result)); // before it began to run
      return;
    }
    if (!this.output) this.#empty();
    this.ran = true;
    this.late = result.stopped.startsWith("after ");
    const { block, own, children, frame } = this.output;
    block.style.minBlockSize = "";
    const printed = this.printed.data;
    const expected = own ? children.map(outputOf).join("") : "";
    if (!printed && own) frame.replaceWith(make("p", "live__nothing", "Nothing was printed."));
    if (result.error) block.after(this.#error(result.error));
    if (!edited && !result.stopped && !result.error) this.took = result.seconds;
    const unchecked = uncheckedOf(result.report);
    const said = saidOf(result.report);
    if (said) this.#grade(said);
    const count = this.claims.show(unchecked ? [] : result.checks);
    count.held += result.more.held;
    count.failed += result.more.failed;
    this.note.hidden = !edited || this.exercise !== null;
    this.note.textContent = "You ran an edit: the text and the pictures around this panel still show the page's own numbers.";
    const same = unframed(expected) === unframed(printed);
    if (unchecked) this.#tell(unchecked);
    else this.#tell(...this.#summary(result, count, same, edited));
    this.#buttons();
  }

  #summary(result, count, same, edited) {
    const all = count.held + count.failed + count.unreached;
    const what = this.exercise ? "check" : "claim";
    const noun = (number) => `${number} ${what}${number === 1 ? "" : "s"}`;
    const seconds = result.seconds < 0.05 ? "less than 0.1" : result.seconds.toFixed(1);
    /** @type {(string | Node)[]} */
    const parts = [
      result.stopped
        ? `${stopped(result)} `
        : result.error
          ? `It broke after ${seconds} s${result.error.line ? ` at line ${result.error.line}` : ""}. `
          : `Ran in ${seconds} s on ${PYTHON} in this page: `,
    ];
    const rest = [];
    if (all && count.held === all) rest.push(all === 1 ? `the one ${what} holds` : `all ${noun(all)} hold`);
    if (count.failed) rest.push(`${count.failed} of ${noun(all)} ${count.failed === 1 ? "fails" : "fail"}`);
    if (count.unreached) rest.push(`${count.unreached} of ${noun(all)} ${count.unreached === 1 ? "was" : "were"} not reached`);
    if (!this.exercise && !result.stopped && !result.error && !result.cut) {
      rest.push(same ? "the output is the page's own" : edited ? "the output differs from the page's" : "the output is not the page's own");
    }
    const ended = Boolean(result.stopped || result.error);
    const said = rest.join(", ");
    parts.push(ended ? said.charAt(0).toUpperCase() + said.slice(1) : said);
    if (said) parts.push(count.first ? ": " : ".");
    if (count.first) {
      const link = make("a", "", "see the first that fails");
      link.href = `#${encodeURIComponent(count.first.id)}`;
      parts.push(link, ".");
    }
    if (result.cut) parts.push(` Output cut after ${OUTPUT_LIMIT.toLocaleString("en")} characters.`);
    return parts;
  }

  #error({ text, line }) {
    const block = make("div", "live__error");
    const code = make("code", "", text);
    code.tabIndex = 0;
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", `Error in your run of ${this.ident}`);
    block.append(make("p", "panel__label", "Error"), framed(code));
    if (line) {
      const button = Object.assign(make("button", "live__line", `Go to line ${line}`), { type: "button" });
      button.addEventListener("click", () => {
        if (!this.editor) this.#edit(this.original);
        this.#buttons();
        this.editor.jump(line, { focus: true, wrong: true });
        this.editor.element.scrollIntoView({ block: "nearest" });
      });
      block.append(button);
    }
    return block;
  }

  #grade(said) {
    const block = make("div", "panel__output live__graded");
    const code = make("code");
    for (const line of said.split("\n")) code.append(make("span", "told", `${line}\n`));
    block.append(make("p", "panel__label", "Your code printed while it was checked"), framed(code));
    this.section.append(block);
  }
}

/** A block of code as the theme has it. @param {HTMLElement} code */
function framed(code) {
  const frame = make("div", "highlight");
  frame.append(make("pre"));
  frame.firstElementChild.append(code);
  return frame;
}

/** Without the empty lines at its ends, which the page does not show. @param {string} printed */
function unframed(printed) {
  return printed.replace(/^\n+|\n+$/g, "");
}

/** Whether a reader sees an element. @param {HTMLElement} element */
function inView(element) {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

/** Why a grader has checked nothing, as a sentence. @param {string | null} report */
function uncheckedOf(report) {
  const [, ...lines] = report?.split("\n") ?? [];
  return lines[0]?.startsWith("Nothing was checked") ? sentence(lines.join(" ")) : "";
}

/** What the answer printed while it was graded: all else of a report the list of checks shows. @param {string | null} report */
function saidOf(report) {
  const lines = report?.split("\n") ?? [];
  const printed = lines.indexOf("your code printed:");
  return printed < 0 ? "" : lines.slice(printed + 1, -1).join("\n");
}

/** The text of what the page shows below its label. @param {ChildNode} part */
function outputOf(part) {
  return part instanceof Element && !part.matches(".panel__label") ? (part.querySelector("code") ?? part).textContent : "";
}

function stopped({ stopped: why, seconds }) {
  if (why === "by you") return `Stopped by you after ${seconds.toFixed(1)} s.`;
  if (why === "for another run") return "Stopped, because another panel was run.";
  return `Stopped ${why}: that is the limit here. Does a loop never end?`;
}

/** What went wrong, as a sentence. @param {unknown} error */
function sentence(error) {
  const text = String(error instanceof Error ? error.message : error).slice(0, LONGEST_SENTENCE).trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
