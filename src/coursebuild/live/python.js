/* What the worker in a browser and the tests under Node do alike with a Python that has just started. */

const OURS = "/course";
const FOLDERS = ["/home/panel", "/home/pyodide", "/tmp"]; // where programs run, and where else they may write

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
 * @param {(check: string) => void} tell hears of each check when it is made, as JSON
 * @returns {string} what became of it, as JSON: see `run` of harness.py
 */
export function runProgram(python, harness, { code, name, marker, exercise }, files, tell) {
  const folder = harness.fresh_folder(...FOLDERS);
  for (const [file, bytes] of files) python.FS.writeFile(`${folder}/${file}`, bytes);
  return harness.run(code, name, marker, exercise?.ident ?? "", exercise?.answer ?? "", folder, tell);
}

/**
 * Lets what Python prints pass, decoded, the errors' stream too.
 *
 * @param {any} python
 * @param {(text: string) => void} print
 * @returns {() => void} ends what a run has printed: a character that it cut does not reach the next one
 */
export function listen(python, print) {
  const decoders = [];
  for (const set of [python.setStdout, python.setStderr]) {
    const decoder = new TextDecoder();
    decoders.push(decoder);
    const write = (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      if (text) print(text);
      return bytes.length;
    };
    set.call(python, { write, isatty: false });
  }
  python.setStdin({ error: true });
  return () => {
    for (const decoder of decoders) {
      const rest = decoder.decode();
      if (rest) print(rest);
    }
  };
}
