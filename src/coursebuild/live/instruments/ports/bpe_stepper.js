/* What the BPE stepper shows in a state, as coursebuild/instruments/bpe_stepper.py computes it. */

import { Refused } from "../state.js";
import { baseSymbols, byCount, countPairs, mergePair, spell, Training, vocabulary, wordCounts, wordsOf } from "./bpe.js";

/** @type {{text?: string, ties?: string, counts?: Map<string, number>, training?: Training, merges?: [string, string, number][]}} */
let last = {};

/** Training until no pair is left; that of the last text is kept, for each step shows the same again.
 * @param {string} text @param {string} ties
 */
export function trained(text, ties) {
  if (last.text === text && last.ties === ties) return last;
  const counts = wordCounts(text);
  if (!counts.size) throw new Refused("There must be at least one word");
  const start = [...counts].map(([word, count]) => /** @type {[string[], number]} */ ([spell(word), count]));
  const training = new Training(start, ties);
  return (last = { text, ties, counts, training, merges: training.merges });
}

/** The characters and the end marker of a word; nothing of none.
 * @param {string} word
 */
export function spelledWord(word) {
  const words = wordsOf(word);
  if (words.length > 1) throw new Refused("Encode one word at a time: a space ends it");
  return words.length ? spell(words[0]) : [];
}

export function view(data, state) {
  const { counts, training, merges } = trained(state.text, state.ties);
  if (state.merges > merges.length) throw new Refused(`merges must be at most ${merges.length}, when no pair is left, not ${state.merges}`);
  const done = merges.slice(0, state.merges);
  const spellings = training.respelled(state.merges);
  const pairs = countPairs(spellings).sort(byCount(state.ties));
  const base = baseSymbols(training.respelled(0).map(([symbols]) => symbols));
  const ids = vocabulary(base, done);
  const spelled = spelledWord(state.word);
  const replayed = [];
  let symbols = spelled;
  done.forEach(([left, right], index) => {
    const before = symbols.length;
    symbols = mergePair(symbols, left, right);
    if (symbols.length < before) replayed.push([index + 1, symbols]);
  });
  return {
    words: [...counts],
    spellings: spellings.map(([symbols]) => symbols),
    merges,
    pairs: pairs.slice(0, data.top),
    all_pairs: pairs.length,
    tied: pairs.filter(([, , count]) => count === pairs[0][2]).length,
    base,
    vocabulary: ids.size,
    in_use: baseSymbols(spellings.map(([symbols]) => symbols)),
    spelled,
    replayed,
    pieces: symbols.map((piece) => [piece, ids.get(piece) ?? null]),
    known: counts.has(wordsOf(state.word).join("")),
  };
}
