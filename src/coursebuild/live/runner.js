/* The page's side of the worker: starts it, runs one program at a time, and ends it where a program does not end.

   What the worker says is data: each part is checked for its type and cut to a length. */

import { CHECK_LIMIT, LIMIT, OUTPUT_LIMIT } from "./limits.js";

const LONGEST = { claim: 1000, value: 1000, asked: 200, said: 2000, error: 20_000, report: 50_000 };
const LONGEST_JSON = { check: 50_000, result: 50_000_000 };
const HEAP_LIMIT = 2 ** 29; // bytes; the memory of a worker never shrinks, so one that holds more is replaced

/**
 * @typedef {{code: string, name: string, marker: string, files?: string[],
 *   exercise?: null | {ident: string, answer: string}, limit?: number, fresh?: boolean}} Job `limit`: seconds; 0 is no limit.
 *   `fresh`: a new worker takes the place of this one after the run, which may have changed Python itself
 * @typedef {{onprogress?: (progress: {loaded: number, total: number}) => void, onrunning?: () => void,
 *   onoutput?: (text: string) => void}} Hooks
 * @typedef {{claim: string, held: boolean, got: string, expected: string, asked: string, said: string}} Check the values are
 *   written where it failed; `asked`: the source of the first; `said`: what the grading of an exercise tells
 * @typedef {{checks: Check[], more: {held: number, failed: number}, error: null | {text: string, line: number}, stopped: string, cut: boolean, seconds: number,
 *   report: string | null}} Result `more`: how many checks were made that are not among `checks`. A run that was stopped has the
 *   checks that it made before
 */

export class Runner {
  #folder;
  #limit;
  #worker = null;
  #current = null;
  #count = 0;
  #progress = null;

  /** @param {string} folder the address of the folder that this file is in @param {{limit?: number}} [options] seconds */
  constructor(folder, { limit = LIMIT } = {}) {
    this.#folder = new URL(folder, document.baseURI).href;
    this.#limit = limit;
  }

  /**
   * Runs a program; one that runs is stopped for it.
   *
   * @param {Job} job
   * @param {Hooks} [hooks]
   * @returns {Promise<Result>} rejected only where Python could not be loaded
   */
  run({ code, name, marker, files = [], exercise = null, limit = this.#limit, fresh = false }, hooks = {}) {
    this.stop("for another run");
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      const addresses = files.map((file) => new URL(file, document.baseURI).href);
      const message = { type: "run", id, code, name, marker, files: addresses, exercise };
      const none = { began: 0, printed: 0, cut: false, timer: 0, checks: [] };
      this.#current = { id, message, hooks, limit, fresh, resolve, reject, ...none };
      this.#start();
      this.#worker.postMessage(message);
      if (this.#progress) hooks.onprogress?.(this.#progress);
    });
  }

  /** Ends what runs. @param {string} [why] "by you", or another reason that can be shown */
  stop(why = "by you") {
    const current = this.#current;
    if (!current) return;
    if (current.began) this.#restart();
    else this.#worker.postMessage({ type: "stop", id: current.id }); // what is loading goes on to load
    this.#end({ stopped: why });
  }

  #start() {
    if (this.#worker) return;
    const source = `import ${JSON.stringify(new URL("worker.js", this.#folder).href)};`;
    const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(address, { type: "module" });
    this.#worker = worker;
    worker.addEventListener("message", ({ data }) => {
      URL.revokeObjectURL(address);
      if (worker === this.#worker && data && typeof data === "object") this.#hear(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      if (worker === this.#worker) this.#fail(event.message || "its files cannot be reached");
    });
  }

  #quit() {
    this.#worker?.terminate();
    this.#worker = this.#progress = null;
  }

  #restart() {
    this.#quit();
    this.#start();
  }

  /** @param {any} message */
  #hear({ type, id, ...said }) {
    if (type === "failed") return this.#fail(text(said.text, LONGEST.error));
    if (type === "progress") return this.#load(said);
    if (type === "ready") return void (this.#progress = null);
    const current = this.#current;
    if (id !== current?.id) {
      if (type === "running") this.#stale(); // stopped when it was just about to begin
      return undefined;
    }
    if (type === "running") return this.#begin(current);
    if (type === "output") return this.#print(current, text(said.text, OUTPUT_LIMIT));
    if (type === "check") return this.#keep(current, said.check);
    if (type === "done") return this.#done(current, said);
    if (type === "broken") return this.#broke(current, text(said.text, LONGEST.error));
    return undefined;
  }

  #load({ loaded, total }) {
    if (!(loaded >= 0 && total > 0)) return;
    this.#progress = { loaded: Math.min(loaded, total), total };
    this.#current?.hooks.onprogress?.(this.#progress);
  }

  #begin(current) {
    this.#progress = null;
    current.began = performance.now();
    if (current.limit > 0) current.timer = setTimeout(() => this.stop(`after ${current.limit} s`), 1000 * current.limit);
    current.hooks.onrunning?.();
  }

  #print(current, printed) {
    const room = OUTPUT_LIMIT - current.printed;
    current.printed += printed.length;
    if (room > 0) current.hooks.onoutput?.(printed.slice(0, room));
    current.cut ||= printed.length > room;
  }

  #keep(current, said) {
    const check = parsed(said, LONGEST_JSON.check);
    if (check && current.checks.length < CHECK_LIMIT) current.checks.push(asCheck(check));
  }

  #done(current, { result, cut, seconds, memory }) {
    const found = asResult(result);
    if (current.fresh || memory > HEAP_LIMIT) this.#restart();
    this.#end({
      ...found,
      cut: current.cut || cut === true,
      seconds: Number.isFinite(seconds) ? seconds : secondsOf(current),
    });
  }

  /** Python itself has ended, or could not load what the program needs. */
  #broke(current, said) {
    if (!current.began) return this.#fail(said);
    this.#restart();
    this.#end({ error: { text: `Python itself broke down, and was started again: ${said}`, line: 0 } });
  }

  #fail(said) {
    this.#quit();
    const current = this.#current;
    this.#current = null;
    current?.reject(new Error(`Python could not be loaded: ${said}`));
  }

  /** A run that nobody waits for has begun: end it, and give the one that waits to the next worker. */
  #stale() {
    const current = this.#current;
    this.#restart();
    if (current) this.#worker.postMessage(current.message);
  }

  #end(result) {
    const current = this.#current;
    this.#current = null;
    clearTimeout(current.timer);
    const nothing = { checks: current.checks, more: { held: 0, failed: 0 }, error: null, stopped: "", report: null };
    current.resolve({ ...nothing, cut: current.cut, seconds: secondsOf(current), ...result });
  }
}

function secondsOf({ began }) {
  return began ? (performance.now() - began) / 1000 : 0;
}

function text(value, longest) {
  return typeof value === "string" ? value.slice(0, longest) : "";
}

/** What JSON says, or nothing where it cannot be read. @param {unknown} said */
function parsed(said, longest) {
  try {
    return JSON.parse(text(said, longest));
  } catch {
    return null; // the program has spoiled it
  }
}

function asCheck(check) {
  return {
    claim: text(check?.claim, LONGEST.claim),
    held: check?.held === true,
    got: text(check?.got, LONGEST.value),
    expected: text(check?.expected, LONGEST.value),
    asked: text(check?.asked, LONGEST.asked),
    said: text(check?.said, LONGEST.said),
  };
}

function asCount(value) {
  return Number.isSafeInteger(value) && value > 0 ? value : 0;
}

/** What harness.py said, as far as it can be read. @param {unknown} said */
function asResult(said) {
  const found = parsed(said, LONGEST_JSON.result);
  if (!found || !Array.isArray(found.checks)) {
    return { error: { text: "The program ended, but what became of it cannot be read.", line: 0 } };
  }
  const { error, report, more } = found;
  const line = Number.isInteger(error?.line) && error.line > 0 ? error.line : 0;
  return {
    checks: found.checks.slice(0, CHECK_LIMIT).map(asCheck),
    more: { held: asCount(more?.held), failed: asCount(more?.failed) },
    error: error ? { text: text(error.text, LONGEST.error), line } : null,
    report: typeof report === "string" ? text(report, LONGEST.report) : null,
  };
}
