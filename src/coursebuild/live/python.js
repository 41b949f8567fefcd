/* What the worker in a browser and the tests under Node do alike with a Python that has just started. */

const OURS = "/course";

/**
 * Gives Python our own package and the harness.
 *
 * @param {any} python what `loadPyodide` gave
 * @param {{harness: Uint8Array, wheel: Uint8Array}} own
 * @returns {any} the module harness.py
 */
export function install(python, { harness, wheel }) {
  unpack(python, wheel);
  python.FS.mkdirTree(OURS);
  python.FS.writeFile(`${OURS}/harness.py`, harness);
  python.runPython(`import sys; sys.path.append("${OURS}")`);
  return python.pyimport("harness");
}

/** @param {any} python @param {Uint8Array} wheel the wheel of numpy */
export function addNumpy(python, wheel) {
  unpack(python, wheel);
  python.pyimport("numpy").destroy();
}

function unpack(python, wheel) {
  const folder = python.runPython("import sysconfig; sysconfig.get_path('purelib')");
  python.unpackArchive(wheel, "wheel", { extractDir: folder });
  python.runPython("import importlib; importlib.invalidate_caches()");
}

/**
 * Runs a program.
 *
 * @param {any} python
 * @param {any} harness the module harness.py
 * @param {{code: string, name: string, marker: string, exercise: null | {ident: string, answer: string}}} job
 * @param {Map<string, Uint8Array>} files what the program reads, by name
 * @returns {string} what became of it, as JSON: see `run` of harness.py
 */
export function runProgram(python, harness, { code, name, marker, exercise }, files) {
  const folder = harness.fresh_folder();
  for (const [file, bytes] of files) python.FS.writeFile(`${folder}/${file}`, bytes);
  return harness.run(code, name, marker, exercise?.ident ?? "", exercise?.answer ?? "", folder);
}

/**
 * Lets what Python prints pass, decoded, the errors' stream too.
 *
 * @param {any} python
 * @param {(text: string) => void} print
 */
export function listen(python, print) {
  for (const set of [python.setStdout, python.setStderr]) {
    const decoder = new TextDecoder();
    const write = (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      if (text) print(text);
      return bytes.length;
    };
    set.call(python, { write, isatty: false });
  }
  python.setStdin({ error: true });
  python.runPython(`
import sys
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(line_buffering=True, errors="backslashreplace", newline="\\n")
`);
}
