/* Ports of nextword.decoding. Logits are arrays with one number for each token; minus infinity stands for what is impossible. */

import { Refused } from "../state.js";
import { softmax } from "./numbers.js";

/** nextword.decoding.rank_tokens: the largest logit first, of equal ones the lower id */
export function rankTokens(logits) {
  return logits.map((_, token) => token).sort((a, b) => logits[b] - logits[a] || a - b);
}

function keepOnly(logits, kept) {
  const left = logits.map((logit, token) => (kept.includes(token) ? logit : -Infinity));
  if (!left.some((logit) => logit > -Infinity)) throw new Refused("No token is left");
  return left;
}

function finite(logits, what) {
  if (logits.some((logit) => logit === Infinity || Number.isNaN(logit))) throw new Refused(`${what} are too large for a float`);
  if (!logits.some((logit) => logit > -Infinity)) throw new Refused("No token is left");
  return logits;
}

export function keepTopK(logits, k) {
  if (!(1 <= k && k <= logits.length)) throw new Refused(`Top-k must be from 1 to ${logits.length}, the number of tokens, not ${k}`);
  return keepOnly(logits, rankTokens(logits).slice(0, k));
}

export function keepTopP(logits, p) {
  const probabilities = softmax(logits);
  if (p === 1) return [...logits];
  const kept = [];
  let mass = 0;
  for (const token of rankTokens(logits)) {
    if (mass >= p || probabilities[token] === 0) break;
    kept.push(token);
    mass += probabilities[token];
  }
  return keepOnly(logits, kept);
}

export function keepMinP(logits, p) {
  const probabilities = softmax(logits);
  const least = p * Math.max(...probabilities);
  return keepOnly(logits, logits.map((_, token) => token).filter((token) => probabilities[token] >= least));
}

export function penalizeRepetition(logits, history, penalty) {
  const came = new Set(history);
  const lower = (logit) => (logit > 0 ? logit / penalty : logit * penalty);
  return finite(logits.map((logit, token) => (came.has(token) ? lower(logit) : logit)), "The penalized logits");
}

export function penalizeFrequency(logits, history, amount) {
  const count = (token) => history.filter((one) => one === token).length;
  return finite(logits.map((logit, token) => (count(token) ? logit - amount * count(token) : logit)), "The penalized logits");
}

export function penalizePresence(logits, history, amount) {
  return penalizeFrequency(logits, [...new Set(history)], amount);
}

/** At 0 the first maximum alone is kept. */
export function applyTemperature(logits, temperature) {
  if (temperature === 0) return keepOnly(logits, [rankTokens(logits)[0]]);
  return finite(logits.map((logit) => logit / temperature), "The logits, divided by the temperature,");
}

/** What each setting does to the logits of a step, by its name in nextword.decoding.STEPS. */
export const STEPS = {
  repetition_penalty: penalizeRepetition,
  frequency_penalty: penalizeFrequency,
  presence_penalty: penalizePresence,
  temperature: (logits, _, temperature) => applyTemperature(logits, temperature),
  top_k: (logits, _, k) => keepTopK(logits, k),
  top_p: (logits, _, p) => keepTopP(logits, p),
  min_p: (logits, _, p) => keepMinP(logits, p),
};
