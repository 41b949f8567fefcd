/* What the attention viewer shows in a state, as coursebuild/instruments/attention_viewer.py computes it. */

import { Refused } from "../state.js";
import { attentionScores, causalMask, scaledDotProductAttention } from "./attention.js";
import { matmul } from "./matrices.js";
import { fsum, softmax } from "./numbers.js";

const LEVEL = 1e-6;

export function view(data, state) {
  check(data, state);
  const one = SOURCES[state.source](data, state);
  const { tokens, queries, keys, values, width } = one;
  const n = tokens.length;
  const mask = maskOf(n, state);
  const products = attentionScores(queries, keys, false);
  const scores = attentionScores(queries, keys, state.scaled, width);
  const [outputs, weights] = scaledDotProductAttention(queries, keys, values, mask, state.scaled, width);
  for (const name of ["query", "key"]) {
    if (state[name] >= n) throw new Refused(`${name} must be from -1 to ${n - 1}, the last of the tokens, not ${state[name]}`);
  }
  const query = state.query >= 0 ? state.query : n - 1;
  const key = state.key >= 0 ? state.key : level(weights[query])[0];
  const seen = tokens.map((_, place) => !mask || mask[query][place]);
  const largest = Math.max(...scores[query].filter((_, place) => seen[place]));
  const exponentials = scores[query].map((score, place) => (seen[place] ? Math.exp(score - largest) : 0));
  return {
    tokens,
    axes: one.axes,
    columns: one.columns,
    width,
    weights: weights.map((row, i) => row.map((weight, j) => (!mask || mask[i][j] ? weight : null))),
    query,
    key,
    asks: queries[query],
    offers: keys[key],
    terms: queries[query].map((a, axis) => a * keys[key][axis]),
    root: state.scaled ? Math.sqrt(width) : 1,
    seen,
    products: products[query],
    scores: scores[query],
    largest,
    exponentials,
    sum: fsum(exponentials),
    values,
    output: outputs[query],
    more: { ...one.more, ...merged(data, state, query, mask) },
  };
}

/** Refuses what one of the sources cannot take, whichever is chosen: each can be chosen next. */
function check({ sentence, machine }, state) {
  const count = sentence.queries.flat().length;
  if (state.queries.length && state.queries.length !== count) throw new Refused(`queries must be ${count} numbers, not ${state.queries.length}`);
  const words = wordsOf(state).length;
  if (words > machine.most - 1) throw new Refused(`prompt must have at most ${machine.most - 1} tokens, not ${words}`);
}

function wordsOf({ prompt }) {
  return prompt.split(" ").filter((word) => word);
}

const SOURCES = { sentence, heads, machine };

function maskOf(n, state) {
  return state.mask ? causalMask(n) : null;
}

/** The places of the largest value, and of those that are as large but for rounding. */
function level(values) {
  const top = Math.max(...values);
  return values.flatMap((value, place) => (value > top - LEVEL ? [place] : []));
}

function sentence(data, state) {
  const { tokens, axes, queries, keys } = data.sentence;
  const own = state.queries;
  const rows = own.length ? tokens.map((_, row) => own.slice(row * axes.length, (row + 1) * axes.length)) : queries;
  return { tokens, axes, columns: axes, width: axes.length, queries: rows, keys, values: keys, more: {} };
}

function heads(data, state) {
  const { tokens, x, projections } = data.heads;
  const [queries, keys, values] = projections[Number(state.head)].map((w) => matmul(x, w));
  const axes = keys[0].map((_, axis) => `axis ${axis}`);
  return { tokens, axes, columns: axes, width: axes.length, queries, keys, values, more: {} };
}

function merged(data, state, query, mask) {
  if (state.source !== "heads") return {};
  const { x, projections, w_o: wO } = data.heads;
  const outputs = projections.map(([q, k, v]) => {
    return scaledDotProductAttention(matmul(x, q), matmul(x, k), matmul(x, v), mask, state.scaled)[0];
  });
  const side = x.map((_, token) => outputs.flatMap((rows) => rows[token]));
  return { merged: side[query], projected: matmul(side, wO)[query] };
}

/** nextword.induction.run_layers on the slots of the stream: what the wiring leaves zero is left out. */
function machine(data, state) {
  const { start, size, shown, axes, positions, back, match, unembed } = data.machine;
  const tokens = [start, ...wordsOf(state)];
  const symbols = [...new Set(tokens)];
  const mask = maskOf(tokens.length, state);
  const empty = tokens.map(() => symbols.map(() => 0));
  const token = tokens.map((one) => symbols.map((symbol) => Number(symbol === one)));
  const place = positions.slice(0, tokens.length);
  // previous_token_head: asks for the position before, is found by its own, hands over its token
  const first = { queries: matmul(place, back), keys: place, width: axes.length, axes };
  const writes = (head, name) => {
    if (state.without === name) return empty;
    return scaledDotProductAttention(head.queries, head.keys, token, mask, state.scaled, head.width)[0];
  };
  const previous = writes(first, "first");
  // induction_head: asks for its token, is found by the token before, hands over its token
  const second = { queries: token.map((row) => row.map((x) => match * x)), keys: previous, width: size, axes: symbols };
  const slot = writes(second, "second").at(-1);
  const rest = Array(size - symbols.length).fill(0);
  const probabilities = softmax([...slot.map((x) => unembed * x), ...rest]);
  const other = probabilities.at(-1);
  const ranked = rankedOf(probabilities.slice(0, symbols.length));
  const top = ranked[0];
  return {
    tokens,
    ...(state.head === "0" ? first : second),
    columns: symbols,
    values: token,
    more: {
      symbols,
      candidates: candidatesOf(ranked, probabilities, shown),
      others: rest.length,
      other,
      favourites: other <= probabilities[top[0]] - LEVEL ? top : [],
      slot,
    },
  };
}

/** The places of the symbols, the likeliest first, equal ones together; of these the start comes last. */
function rankedOf(probabilities) {
  const runs = [];
  for (const at of [...probabilities.keys()].sort((a, b) => probabilities[b] - probabilities[a])) {
    if (runs.length && probabilities[at] > probabilities[runs.at(-1)[0]] - LEVEL) runs.at(-1).push(at);
    else runs.push([at]);
  }
  return runs.map((run) => run.sort((a, b) => Number(a === 0) - Number(b === 0) || a - b));
}

/** The rows of the symbols: the first ones each alone, what is behind them in groups of equal probability. */
function candidatesOf(ranked, probabilities, shown) {
  const first = ranked.flat().slice(0, shown);
  const behind = ranked.map((run) => run.filter((at) => !first.includes(at))).filter((run) => run.length);
  return [...first.map((at) => [at]), ...behind].map((places) => ({
    places,
    each: fsum(places.map((at) => probabilities[at])) / places.length,
  }));
}
