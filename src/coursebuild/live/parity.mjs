/* Runs programs under Node with the Python and the harness that the worker has in a browser.

     node parity.mjs FOLDER NUMPY JOBS

   FOLDER is the site's folder of live panels, NUMPY the wheel, JOBS a file of JSON. A job is {code, name, marker, files: [path], exercise}; of
   each, a line {name, printed, told, result, cpu} says what it printed, the checks that it told of, what became of it, and the CPU seconds it
   took. */

import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { loadPyodide } from "pyodide";

import { addNumpy, install, listen, runProgram } from "./python.js";

const [folder, numpyWheel, jobs] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));
const python = await loadPyodide({ env: { PYTHONHASHSEED: "0" } });
const own = (file) => new Uint8Array(readFileSync(join(folder, file)));
const harness = install(python, { harness: own(manifest.harness), wheel: own(manifest.wheel) });
let printed = "";
const endOutput = listen(python, (text) => (printed += text));

let hasNumpy = false;
for (const job of JSON.parse(readFileSync(jobs, "utf8"))) {
  if (!hasNumpy && harness.needs_numpy(job.code)) {
    addNumpy(python, new Uint8Array(readFileSync(numpyWheel)));
    hasNumpy = true;
  }
  const files = new Map(job.files.map((path) => [basename(path), new Uint8Array(readFileSync(path))]));
  printed = "";
  const before = process.cpuUsage();
  const told = [];
  const result = JSON.parse(runProgram(python, harness, job, files, (check) => told.push(JSON.parse(check))));
  endOutput();
  const { user, system } = process.cpuUsage(before);
  harness.tidy();
  console.log(JSON.stringify({ name: job.name, printed, told, result, cpu: (user + system) / 1e6 }));
}
