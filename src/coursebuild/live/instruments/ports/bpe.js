/* Ports of nextword.bpe. A symbol is a string: some characters, or some bytes, two hexadecimal digits for each. */

import { Refused } from "../state.js";

export const MARKER = "_";
const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/; // what Python's str.split takes

/** Compares two texts by code points, as Python does, rather than by the halves of those beyond U+FFFF.
 * @param {string} a @param {string} b
 */
export function compare(a, b) {
  for (let i = 0; i < a.length && i < b.length; ) {
    const [one, other] = [a.codePointAt(i), b.codePointAt(i)];
    if (one !== other) return one - other;
    i += one > 0xffff ? 2 : 1;
  }
  return a.length - b.length;
}

/** The words of a text.
 * @param {string} text
 */
export function wordsOf(text) {
  return text.split(SPACE).filter((word) => word);
}

/** nextword.bpe.word_counts, as a map
 * @param {string} text
 */
export function wordCounts(text) {
  const counts = new Map();
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** nextword.bpe.spell_words, for one word
 * @param {string} word
 */
export function spell(word) {
  if (word.includes(MARKER)) throw new Refused(`“${MARKER}” is the end marker and cannot stand in “${word}”`);
  return [...word, MARKER];
}

/** nextword.bpe.count_pairs
 * @param {[string[], number][]} spellings
 * @returns {[string, string, number][]} each pair with its count
 */
export function countPairs(spellings) {
  const pairs = new Map();
  for (const [symbols, count] of spellings) add(pairs, symbols, count);
  return [...pairs.values()];
}

/** Counts the pairs of a spelling in, or out again if `count` is below 0. */
function add(pairs, symbols, count) {
  for (let i = 1; i < symbols.length; i++) {
    const [left, right] = [symbols[i - 1], symbols[i]];
    const key = `${left.length}:${left}${right}`; // no two pairs have the same
    const pair = pairs.get(key);
    if (!pair) pairs.set(key, [left, right, count]);
    else if (pair[2] + count) pair[2] += count;
    else pairs.delete(key);
  }
}

/** nextword.bpe.merge_pair
 * @param {string[]} symbols @param {string} left @param {string} right
 */
export function mergePair(symbols, left, right) {
  const merged = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) merged.push(left + symbols[++i]);
    else merged.push(symbols[i]);
  }
  return merged;
}

/** Which of two pairs comes first: the more frequent one; among equals the one that sorts first, or last.
 * @param {string} ties
 */
export function byCount(ties) {
  const way = ties === "smallest" ? 1 : -1;
  return (a, b) => b[2] - a[2] || way * (compare(a[0], b[0]) || compare(a[1], b[1]));
}

/** nextword.bpe.learn_merges, until no pair is left. Only words that a merge changes are counted afresh.
 * @param {[string[], number][]} spellings @param {string} ties
 */
export function learnMerges(spellings, ties) {
  const merges = [];
  const order = byCount(ties);
  const words = [...spellings];
  const pairs = new Map();
  for (const [symbols, count] of words) add(pairs, symbols, count);
  while (pairs.size) {
    const [left, right, seen] = [...pairs.values()].reduce((one, other) => (order(other, one) < 0 ? other : one));
    merges.push([left, right, seen]);
    words.forEach(([symbols, count], index) => {
      const merged = mergePair(symbols, left, right);
      if (merged.length === symbols.length) return;
      add(pairs, symbols, -count);
      add(pairs, merged, count);
      words[index] = [merged, count];
    });
  }
  return merges;
}

/** nextword.bpe.apply_merges
 * @param {string[]} symbols @param {[string, string, number][]} merges
 */
export function applyMerges(symbols, merges) {
  return merges.reduce((spelled, [left, right]) => mergePair(spelled, left, right), symbols);
}

/** nextword.bpe.apply_by_rank
 * @param {string[]} symbols @param {[string, string, number][]} merges
 */
export function applyByRank(symbols, merges) {
  for (;;) {
    const found = merges.find(([left, right]) => symbols.some((symbol, i) => symbol === left && symbols[i + 1] === right));
    if (!found) return symbols;
    symbols = mergePair(symbols, found[0], found[1]);
  }
}

/** nextword.bpe.base_symbols
 * @param {string[][]} spellings
 */
export function baseSymbols(spellings) {
  return [...new Set(spellings.flat())].sort(compare);
}

/** nextword.bpe.vocabulary, as a map
 * @param {string[]} base @param {[string, string, number][]} merges
 */
export function vocabulary(base, merges) {
  const ids = new Map(base.map((symbol, id) => [symbol, id]));
  for (const [left, right] of merges) if (!ids.has(left + right)) ids.set(left + right, ids.size);
  return ids;
}

/** nextword.bpe.space_chunks
 * @param {string} text
 */
export function spaceChunks(text) {
  const [first, ...others] = text.split(" ");
  return [...(first ? [first] : []), ...others.map((word) => ` ${word}`)];
}

const UTF8 = new TextEncoder();

/** nextword.bpe.spell_bytes
 * @param {string} chunk
 */
export function spellBytes(chunk) {
  const lone = chunk.match(/[\ud800-\udfff]/u); // with u, halves that make a character together do not match
  if (lone) throw new Refused(`UTF-8 cannot write half a character, U+${lone[0].charCodeAt(0).toString(16).toUpperCase()}`);
  return [...UTF8.encode(chunk)].map((value) => value.toString(16).padStart(2, "0"));
}
