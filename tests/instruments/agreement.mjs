/* Runs the ports of instruments under Node.

     node agreement.mjs FOLDER < JOBS

   FOLDER is that of the instruments' scripts. JOBS has a line of JSON for each job: {do: "view", name, data, states}, which is
   answered by a line with a list of {view} or {refused}; {do: "read", parameters, start, links}, by a list of {state, link} or
   {refused}; {do: "call", module, name, calls}, by a list of what an exported function returns for each list of arguments. */

import { createInterface } from "node:readline";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const load = (path) => import(pathToFileURL(join(process.argv[2], path)).href);
const { linkOf, Refused, stateOf } = await load("state.js");

function told(compute) {
  try {
    return compute();
  } catch (error) {
    if (error instanceof Refused) return { refused: error.message };
    throw error;
  }
}

const DO = {
  async view({ name, data, states }) {
    const { view } = await load(`ports/${name.replaceAll("-", "_")}.js`);
    return states.map((state) => told(() => ({ view: view(data, state) })));
  },
  async read({ parameters, start, links }) {
    return links.map((link) =>
      told(() => {
        const state = stateOf(parameters, start, link);
        return { state, link: linkOf(parameters, start, state) };
      }),
    );
  },
  async call({ module, name, calls }) {
    const { [name]: of } = await load(module);
    return calls.map((these) => told(() => ({ value: of(...these) })));
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const job = JSON.parse(line);
  console.log(JSON.stringify(await DO[job.do](job)));
}
