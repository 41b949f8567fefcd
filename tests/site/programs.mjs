/* Runs programs in one Pyodide under Node, each in a namespace and a folder of its own.

     node programs.mjs PYODIDE <JOBS

   PYODIDE is the folder of the package, JOBS is JSON: {seed, programs: [{name, code, files: [path]}]}. It writes JSON:
   {name: text}, where what an error says is among what is printed. */

import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const RUN = `
import os, sys, traceback, types, warnings

def run(name, code, folder):
    """Run a program as if it were alone; an error is printed."""
    warnings.resetwarnings()
    warnings.simplefilter("error")
    os.chdir(folder)
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        exec(compile(code, name, "exec", dont_inherit=True), main.__dict__)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    sys.stdout.flush()
    sys.stderr.flush()

run
`;

const folder = resolve(process.argv[2]);
const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")));
const { seed, programs } = JSON.parse(readFileSync(0, "utf8"));
const python = await loadPyodide({ indexURL: folder, env: { PYTHONHASHSEED: seed } });
let bytes = [];
const write = (more) => bytes.push(more.slice()) && more.length;
python.setStdout({ write });
python.setStderr({ write });
const run = python.runPython(RUN);
const printed = {};
for (const { name, code, files } of programs) {
  const work = `/work/${name}`;
  python.FS.mkdirTree(work);
  for (const path of files) python.FS.writeFile(`${work}/${basename(path)}`, readFileSync(path));
  bytes = [];
  run(name, code, work);
  printed[name] = Buffer.concat(bytes).toString("utf8");
}
console.log(JSON.stringify(printed));
