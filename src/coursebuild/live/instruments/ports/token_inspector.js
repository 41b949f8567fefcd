/* What the token inspector shows in a state, as coursebuild/instruments/token_inspector.py computes it. */

import { Refused } from "../state.js";
import { applyByRank, spaceChunks, spellBytes, vocabulary } from "./bpe.js";

/** The base: all bytes. */
export const BYTES = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

/** nextword.bpe.ByteBPE, of merges that are already known. */
export class ByteBPE {
  /** @param {[string, string, number][]} merges symbols in hexadecimal */
  constructor(merges) {
    this.merges = merges;
    this.ids = vocabulary(BYTES, merges);
    this.symbols = [...this.ids.keys()];
  }

  /** @param {string} chunk that `spaceChunks` cuts no further */
  pieces(chunk) {
    return applyByRank(spellBytes(chunk), this.merges);
  }
}

export function view(data, state) {
  const bpe = new ByteBPE(data.merges);
  const chunks = spaceChunks(state.text).map((chunk) => groups(bpe, chunk));
  const own = cost(bpe, state.text);
  if (state.token > own.tokens) throw new Refused(`token must be at most ${own.tokens}, the number of tokens, not ${state.token}`);
  const samples = data.samples.map(([, sample]) => cost(bpe, sample));
  return {
    chunks,
    cost: own,
    samples: samples.map((one) => ({ ...one, times: one.tokens / samples[0].tokens })),
    token: state.token ? detail(bpe, chunks, state.token) : null,
  };
}

function cost(bpe, sample) {
  const tokens = spaceChunks(sample).flatMap((chunk) => bpe.pieces(chunk)).length;
  const characters = [...sample].length;
  return { characters, bytes: spellBytes(sample).length, tokens, per_character: characters ? tokens / characters : null };
}

/** The ids of a chunk, in the smallest groups whose bytes are text by themselves, each with that text.
 * @param {ByteBPE} bpe @param {string} chunk
 * @returns {[string, number[]][]}
 */
function groups(bpe, chunk) {
  const found = [];
  const characters = [...chunk];
  let [of, waiting, missing] = ["", [], 0];
  for (const piece of bpe.pieces(chunk)) {
    waiting.push(bpe.ids.get(piece));
    for (missing -= piece.length; missing < 0; missing += spellBytes(characters[0]).join("").length, of += characters.shift());
    if (missing) continue; // a part of a character
    found.push([of, waiting]);
    [of, waiting] = ["", []];
  }
  return found;
}

/** What is to be known of a token: its bytes, the text they are a part of, and the merges that made it.
 * @param {ByteBPE} bpe @param {[string, number[]][][]} chunks @param {number} wanted its number, from 1
 */
export function detail(bpe, chunks, wanted) {
  let left = wanted;
  const [of, ids] = chunks.flat().find(([, ids]) => left <= ids.length || !(left -= ids.length));
  const id = ids[left - 1];
  const made = [...makers(bpe, bpe.symbols[id])].sort((a, b) => a - b);
  return {
    id,
    bytes: bpe.symbols[id],
    of,
    first_byte: ids.slice(0, left - 1).map((other) => bpe.symbols[other]).join("").length / 2,
    all_bytes: spellBytes(of).length,
    made: made.map((rank) => [rank + 1, ...bpe.merges[rank]]),
  };
}

/** The merges that make a symbol out of bytes, by their places in the list.
 * @returns {Set<number>}
 */
function makers(bpe, symbol) {
  if (symbol.length === 2) return new Set();
  const rank = bpe.merges.findIndex(([left, right]) => left + right === symbol);
  const [left, right] = bpe.merges[rank];
  return new Set([rank, ...makers(bpe, left), ...makers(bpe, right)]);
}
