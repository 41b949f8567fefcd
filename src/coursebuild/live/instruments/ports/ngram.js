/* Ports of nextword.ngram: counts and the models made of them. A context is an array of words, the oldest first; words hold no
   spaces, so that contexts are looked up as their words joined by one. */

import { Refused } from "../state.js";
import { draw, fsum } from "./numbers.js";

export const START = "<s>";
export const END = "</s>";

/** A row of a table: how often each token followed a context.
 * @typedef {{context: string[], row: Map<string, number>, total: number}} Row */
/** The rows of one order, by context.
 * @typedef {Map<string, Row>} Table */
/** @typedef {{order: number, vocabulary: string[], estimate: (token: string, context: string[]) => number}} Model */

const keyOf = (tokens) => tokens.join(" ");

/** nextword.ngram.padded_ngrams */
export function paddedNgrams(sentence, order) {
  const tokens = [...Array(order - 1).fill(START), ...sentence, END];
  return sentence.concat(END).map((_, place) => tokens.slice(place, place + order));
}

/** nextword.ngram.vocabulary_of */
export function vocabularyOf(sentences, markers) {
  return [...new Set([END, ...(markers ? [START] : []), ...sentences.flat()])].sort();
}

/** @returns {Table} */
function tableOf(ngrams) {
  /** @type {Table} */
  const table = new Map();
  for (const { tokens, count } of ngrams) add(table, tokens.slice(0, -1), tokens.at(-1), count);
  return table;
}

function add(table, context, token, count) {
  const key = keyOf(context);
  if (!table.has(key)) table.set(key, { context, row: new Map(), total: 0 });
  const entry = table.get(key);
  entry.row.set(token, (entry.row.get(token) ?? 0) + count);
  entry.total += count;
}

/** nextword.ngram.Counts: the tables of all orders up to one, that of the unigrams first; the place is the contexts' length. */
export class Counts {
  /** @param {string[][]} sentences @param {number} order */
  constructor(sentences, order) {
    this.tables = Array.from({ length: order }, (_, length) =>
      tableOf(sentences.flatMap((sentence) => paddedNgrams(sentence, order)).map((tokens) => ({ tokens: tokens.slice(order - 1 - length), count: 1 }))),
    );
  }

  /** nextword.ngram.Counts.continued: plain counts at the order, below it in how many contexts an n-gram came */
  continued(order) {
    const tables = this.tables.slice(0, order);
    return tables.map((table, length) => (length < order - 1 ? continuation(table, tables[length + 1]) : table));
  }
}

/** nextword.ngram.continuation_counts
 * @param {Table} shorter @param {Table} longer
 */
function continuation(shorter, longer) {
  /** @type {Table} */
  const table = new Map();
  for (const { context, row } of longer.values()) {
    for (const token of row.keys()) add(table, context.slice(1), token, 1);
  }
  for (const [key, entry] of shorter) {
    if (entry.context[0] === START) table.set(key, entry); // nothing stands before it
  }
  return table;
}

/** The rows of a context's endings, from no token to all of the context, as far as they came. */
function endingsOf(tables, context) {
  return tables.map((table, length) => table.get(keyOf(context.slice(context.length - length)))).filter(Boolean);
}

/** A context as Python writes the tuple. */
function tuple(context) {
  return `(${context.map((token) => `'${token}'`).join(", ")}${context.length === 1 ? "," : ""})`;
}

/** A model without smoothing was asked about a context that never came. */
export class UnseenContext extends Error {}

/** nextword.ngram.MaximumLikelihood */
export function maximumLikelihood(counts, order, vocabulary) {
  const table = counts.tables[order - 1];
  const estimate = (token, context) => {
    const entry = table.get(keyOf(context));
    if (!entry) throw new UnseenContext(`context must be one that was counted, not ${tuple(context)}`);
    return (entry.row.get(token) ?? 0) / entry.total;
  };
  return { order, vocabulary, estimate };
}

/** nextword.ngram.AddK */
export function addK(counts, order, vocabulary, k) {
  const table = counts.tables[order - 1];
  const estimate = (token, context) => {
    const entry = table.get(keyOf(context));
    return ((entry?.row.get(token) ?? 0) + k) / ((entry?.total ?? 0) + k * vocabulary.length);
  };
  return { order, vocabulary, estimate };
}

/** nextword.ngram.Interpolation, with one weight for all orders */
export function interpolation(counts, order, vocabulary, weight) {
  const tables = counts.tables.slice(0, order);
  const estimate = (token, context) => {
    let probability = 1 / vocabulary.length;
    for (const { row, total } of endingsOf(tables, context)) {
      probability = weight * ((row.get(token) ?? 0) / total) + (1 - weight) * probability;
    }
    return probability;
  };
  return { order, vocabulary, estimate };
}

/** nextword.ngram.AbsoluteDiscounting */
export function absoluteDiscounting(counts, order, vocabulary, discount) {
  const masses = new Map();
  const lower = (token, context) => (context.length ? estimate(token, context.slice(1)) : 1 / vocabulary.length);
  const unseenMass = (context, row) => {
    const key = keyOf(context);
    if (!masses.has(`${context.length} ${key}`)) {
      let mass = 1 - fsum([...row.keys()].map((token) => lower(token, context)));
      if (mass < 1e-3) mass = fsum(vocabulary.filter((token) => !row.has(token)).map((token) => lower(token, context)));
      masses.set(`${context.length} ${key}`, mass);
    }
    return masses.get(`${context.length} ${key}`);
  };
  const estimate = (token, context) => {
    const entry = counts.tables[context.length].get(keyOf(context));
    if (!entry) return lower(token, context);
    const { row, total } = entry;
    const freed = discount * row.size;
    if (row.size === vocabulary.length) return (row.get(token) - discount) / (total - freed);
    if (row.has(token)) return (row.get(token) - discount) / total;
    return (freed / total) * (lower(token, context) / unseenMass(context, row));
  };
  return { order, vocabulary, estimate };
}

/** nextword.ngram.KneserNey */
export function kneserNey(counts, order, vocabulary, discount) {
  const tables = counts.continued(order);
  const estimate = (token, context) => {
    let probability = 1 / vocabulary.length;
    for (const { row, total } of endingsOf(tables, context)) {
      const kept = row.has(token) ? row.get(token) - discount : 0;
      probability = (kept + discount * row.size * probability) / total;
    }
    return probability;
  };
  return { order, vocabulary, estimate };
}

/** nextword.ngram.NgramModel.distribution, without the tokens' names
 * @param {Model} model @param {string[]} context
 */
export function distribution(model, context) {
  return model.vocabulary.map((token) => model.estimate(token, context));
}

/** nextword.ngram.token_probabilities
 * @param {Model} model @param {string[][]} sentences
 */
export function tokenProbabilities(model, sentences) {
  for (const token of sentences.flat()) {
    if (token === START || token === END) throw new Refused(`A sentence holds no marker, not “${token}”`);
    if (!model.vocabulary.includes(token)) throw new Refused(`The model knows ${model.vocabulary.length} words, not “${token}”`);
  }
  return sentences
    .flatMap((sentence) => paddedNgrams(sentence, model.order))
    .map((ngram) => {
      try {
        return model.estimate(ngram.at(-1), ngram.slice(0, -1));
      } catch (error) {
        if (!(error instanceof UnseenContext)) throw error;
        return 0;
      }
    });
}

/** nextword.ngram.generate_sentence
 * @param {Model} model @param {import("./random.js").Random} rng @param {number} limit
 */
export function generateSentence(model, rng, limit) {
  const tokens = [...model.vocabulary].sort();
  let context = Array(model.order - 1).fill(START);
  const sentence = [];
  while (sentence.length < limit) {
    const token = tokens[draw(tokens.map((one) => model.estimate(one, context)), rng)];
    if (token === END) break;
    sentence.push(token);
    context = [...context, token].slice(1);
  }
  return sentence;
}
