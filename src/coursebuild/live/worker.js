/* Python in a thread of its own. It runs what a reader wrote, or what a link brought, so nothing but messages leaves it.

   The page starts it from a blob: address (runner.js), so that the page's content security policy holds in here. Before a
   program runs, the worker keeps `fetch` and `postMessage` to itself and takes away what reaches storage or a network. */

import { CHECK_LIMIT, OUTPUT_LIMIT } from "./limits.js";
import { addNumpy, install, listen, runProgram } from "./python.js";

const BURST = 400; // messages at once, and
const RATE = 0.1; // messages in a millisecond after that; what is printed faster waits for the next
const WAITING = 4000; // characters that wait at most
const CPYTHON = { PYTHONHASHSEED: "0" };

/** What programs may find in the worker's global object: the language, and what Python itself runs on. */
const KEPT = new Set(
  `AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array Intl Iterator JSON
  Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String
  SuppressedError Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef
  WeakSet WebAssembly decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval globalThis isFinite isNaN
  parseFloat parseInt undefined unescape
  AbortController AbortSignal Blob CustomEvent DOMException Event EventTarget MessageChannel MessagePort Performance
  TextDecoder TextEncoder URL clearInterval clearTimeout console constructor crypto performance queueMicrotask self
  setInterval setTimeout structuredClone`.split(/\s+/),
);

const here = new URL("./", import.meta.url);
const get = self.fetch.bind(self);
const post = self.postMessage.bind(self);
const now = performance.now.bind(performance);

let python;
let harness;
let manifest;
let runtime;
let endOutput;
let hasNumpy = false;
/** @type {Map<string, Uint8Array>} what programs read, by address */
const data = new Map();
/** @type {Set<number>} runs that were stopped before they began */
const stopped = new Set();
let loaded = 0;
let total = 0;

/** @param {string | URL} address @returns {Promise<Uint8Array<ArrayBuffer>>} */
async function download(address) {
  const response = await get(address);
  if (!response.ok) throw new Error(`${new URL(address).pathname} was answered with ${response.status}`);
  const parts = [];
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    progress(part.value.length);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

function progress(bytes) {
  loaded += bytes;
  post({ type: "progress", loaded: Math.min(loaded, total), total });
}

/** The bytes as they are, or unpacked: some servers hand out a .gz unpacked. @param {Uint8Array<ArrayBuffer>} bytes */
function unzipped(bytes) {
  const stream = new Blob([bytes]).stream();
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
}

async function boot() {
  manifest = await (await get(new URL("manifest.json", here))).json();
  runtime = new URL(manifest.runtime, here);
  total = Object.values(manifest.sizes).reduce((sum, size) => sum + size, 0);
  const module = async (file) => {
    const found = await import(new URL(file, runtime).href);
    progress(manifest.sizes[file]);
    return found;
  };
  const [{ loadPyodide }, , wasm, library, lock, ours, wheel] = await Promise.all([
    module("pyodide.mjs"),
    module("pyodide.asm.js"),
    download(new URL("pyodide.asm.wasm.gz", runtime)),
    download(new URL("python_stdlib.zip", runtime)),
    download(new URL("pyodide-lock.json", runtime)),
    download(new URL(manifest.harness, here)),
    download(new URL(manifest.wheel, here)),
  ]);
  const bodies = { "pyodide.asm.wasm": unzipped(wasm), "python_stdlib.zip": library, "pyodide-lock.json": lock };
  self.fetch = async (address) => {
    const headers = { "Content-Type": String(address).endsWith(".wasm") ? "application/wasm" : "application/octet-stream" };
    return new Response(bodies[new URL(String(address)).pathname.split("/").pop()], { headers });
  };
  const refuse = () => {
    throw new Error("JavaScript is not run from here");
  };
  const jsglobals = { eval: refuse, setTimeout, clearTimeout, setInterval, clearInterval };
  python = await loadPyodide({ indexURL: runtime.href, env: CPYTHON, jsglobals });
  strip();
  harness = install(python, { harness: ours, wheel });
  endOutput = listen(python, emit);
  post({ type: "ready" });
}

/** Takes away everything that the worker's global object has beyond `KEPT`. */
function strip() {
  for (let object = self; object !== EventTarget.prototype; object = Object.getPrototypeOf(object)) {
    for (const name of Reflect.ownKeys(object)) {
      if (typeof name === "string" && !KEPT.has(name)) Reflect.deleteProperty(object, name);
    }
  }
}

let run = 0; // the number of the run that prints
let printed = 0;
let told = 0; // checks
let cut = false;
let waiting = "";
let burst = BURST;
let last = 0;

/** @param {string} text what Python prints; sent at once, unless very much was just before */
function emit(text) {
  if (cut || !run) return;
  const room = OUTPUT_LIMIT - printed;
  cut = text.length > room;
  waiting += cut ? text.slice(0, room) : text;
  printed += Math.min(text.length, room);
  const moment = now();
  burst = Math.min(BURST, burst + RATE * (moment - last));
  last = moment;
  if (burst >= 1 || waiting.length >= WAITING || cut) flush();
}

function flush() {
  if (waiting) post({ type: "output", id: run, text: waiting });
  waiting = "";
  burst = Math.max(0, burst - 1);
}

/** @param {string} check as JSON; sent at once, so that the page knows of it if the run is stopped */
function tell(check) {
  if (run && told++ < CHECK_LIMIT) post({ type: "check", id: run, check: String(check) });
}

/** @param {{id: number, code: string, name: string, marker: string, files: string[], exercise: any}} job */
async function start(job) {
  const files = new Map();
  for (const address of job.files) {
    if (!data.has(address)) data.set(address, await download(address));
    files.set(decodeURIComponent(new URL(address).pathname.split("/").pop()), data.get(address));
  }
  if (!hasNumpy && harness.needs_numpy(job.code)) {
    loaded = 0;
    total = manifest.numpy.size;
    addNumpy(python, await download(new URL(manifest.numpy.file, runtime)));
    hasNumpy = true;
  }
  if (stopped.delete(job.id)) return;
  post({ type: "running", id: job.id });
  [run, printed, told, cut, waiting] = [job.id, 0, 0, false, ""];
  const began = now();
  const result = runProgram(python, harness, job, files, tell);
  const seconds = (now() - began) / 1000;
  endOutput();
  flush();
  run = 0;
  const memory = python._module.HEAP8.length;
  post({ type: "done", id: job.id, result, cut, seconds, memory });
  harness.tidy();
}

const booted = boot();
booted.catch((error) => post({ type: "failed", text: String(error?.message ?? error) }));
let queue = booted;
self.addEventListener("message", (/** @type {MessageEvent} */ { data: message }) => {
  if (message.type === "stop") stopped.add(message.id);
  else {
    queue = queue
      .then(() => start(message))
      .catch((error) => post({ type: "broken", id: message.id, text: String(error?.message ?? error) }));
  }
});
