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

/** A text that JavaScript compares as `compare` does its own: halves of characters come after all that are whole.
 * @param {string} text
 */
function sortable(text) {
  return text.replace(/[\ud800-\uffff]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + (unit < "\ue000" ? 0x2000 : -0x800)));
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
  for (const [symbols, count] of spellings) {
    for (let i = 1; i < symbols.length; i++) {
      const [left, right] = [symbols[i - 1], symbols[i]];
      const key = `${left.length}:${left}${right}`; // no two pairs have the same
      const pair = pairs.get(key);
      if (pair) pair[2] += count;
      else pairs.set(key, [left, right, count]);
    }
  }
  return [...pairs.values()];
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

/** Words in training. A symbol is a whole number here, for its text may be long; each stands at the place of its first
 * character, in one row of all words. What a merge fuses is kept, so that any step of the training can be shown again.
 */
export class Training {
  /** @param {[string[], number][]} spellings @param {string} ties */
  constructor(spellings, ties) {
    this.texts = [];
    this.sortable = []; // the same, for the browser's own comparison: it is much faster where long texts begin alike
    this.ids = new Map();
    /** @type {[number[], number][]} */
    this.words = spellings.map(([symbols, count]) => [symbols.map((symbol) => this.#id(symbol, sortable(symbol))), count]);
    this.row = this.words.flatMap(([symbols]) => symbols);
    this.weights = this.words.flatMap(([symbols, count]) => symbols.map(() => count));
    this.after = this.words.flatMap(([symbols]) => symbols.map((_, index) => index + 1 < symbols.length)).map((is, place) => (is ? place + 1 : -1));
    this.before = this.after.map((_, place) => (this.after[place - 1] === place ? place - 1 : -1));
    this.pairs = new Map();
    this.changed = new Set();
    this.after.forEach((_, place) => this.#count(place, 1));
    this.heap = new Heap(this.#order(ties));
    /** @type {[string, string, number][]} */
    this.merges = [];
    /** @type {[number, number[]][]} of each merge, the new symbol and where it came to stand */
    this.fused = [];
    for (let pair = this.#next(); pair; pair = this.#next()) this.#merge(pair);
  }

  /** nextword.bpe.respell, by the first merges
   * @param {number} done how many
   * @returns {[string[], number][]}
   */
  respelled(done) {
    const row = this.words.flatMap(([symbols]) => symbols);
    const ends = row.map((_, place) => place + 1); // where the symbol at a place ends
    for (const [id, places] of this.fused.slice(0, done)) {
      for (const place of places) {
        row[place] = id;
        ends[place] = ends[ends[place]];
      }
    }
    let place = 0;
    return this.words.map(([symbols, count]) => {
      const found = [];
      for (const end = place + symbols.length; place < end; place = ends[place]) found.push(this.texts[row[place]]);
      return [found, count];
    });
  }

  /** The same text is the same symbol, whichever merges made it. */
  #id(text, key) {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    this.ids.set(text, this.texts.length);
    this.sortable.push(key);
    return this.texts.push(text) - 1;
  }

  /** Counts the pair that begins at a place in, or out again if `way` is below 0. */
  #count(place, way) {
    if (place < 0 || this.after[place] < 0) return;
    const [left, right] = [this.row[place], this.row[this.after[place]]];
    const key = left * 2 ** 24 + right; // no text has so many symbols
    let pair = this.pairs.get(key);
    if (!pair) this.pairs.set(key, (pair = { left, right, count: 0, places: [] }));
    pair.count += way * this.weights[place];
    if (way > 0) pair.places.push(place);
    this.changed.add(pair);
  }

  /** The order of `byCount`, of entries of the heap. */
  #order(ties) {
    const way = ties === "smallest" ? 1 : -1;
    const texts = (one, other) => (one === other ? 0 : this.sortable[one] < this.sortable[other] ? -1 : 1);
    return ([a, seen], [b, other]) => other - seen || way * (texts(a.left, b.left) || texts(a.right, b.right));
  }

  /** The pair to fuse. Each new count has an entry of its own in the heap; those of older counts are passed over. */
  #next() {
    for (const pair of this.changed) if (pair.count) this.heap.push([pair, pair.count]);
    this.changed.clear();
    for (let top = this.heap.pop(); top; top = this.heap.pop()) if (top[0].count === top[1]) return top[0];
    return undefined;
  }

  /** Fuses a pair from left to right, and counts only the pairs beside it afresh. */
  #merge({ left, right, count, places }) {
    const id = this.#id(this.texts[left] + this.texts[right], this.sortable[left] + this.sortable[right]);
    this.merges.push([this.texts[left], this.texts[right], count]);
    const fused = [];
    for (const place of places.sort((a, b) => a - b)) {
      const second = this.after[place];
      if (this.row[place] !== left || second < 0 || this.row[second] !== right) continue; // it stood here before
      for (const at of [this.before[place], place, second]) this.#count(at, -1);
      this.row[place] = id;
      this.row[second] = -1;
      const third = (this.after[place] = this.after[second]);
      if (third >= 0) this.before[third] = place;
      for (const at of [this.before[place], place]) this.#count(at, 1);
      fused.push(place);
    }
    this.fused.push([id, fused]);
  }
}

/** A heap: what comes first in an order is taken out first. */
class Heap {
  /** @param {(a: any, b: any) => number} order */
  constructor(order) {
    this.order = order;
    this.all = [];
  }

  push(entry) {
    const { all, order } = this;
    let at = all.push(entry) - 1;
    for (let up; at && order(entry, all[(up = (at - 1) >> 1)]) < 0; at = up) all[at] = all[up];
    all[at] = entry;
  }

  pop() {
    const { all, order } = this;
    const top = all[0];
    const entry = all.pop();
    if (!all.length) return top;
    let at = 0;
    for (let down = 1; down < all.length; down = 2 * at + 1) {
      if (down + 1 < all.length && order(all[down + 1], all[down]) < 0) down += 1;
      if (order(entry, all[down]) <= 0) break;
      all[at] = all[down];
      at = down;
    }
    all[at] = entry;
    return top;
  }
}

/** nextword.bpe.learn_merges, until no pair is left
 * @param {[string[], number][]} spellings @param {string} ties
 */
export function learnMerges(spellings, ties) {
  return new Training(spellings, ties).merges;
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
