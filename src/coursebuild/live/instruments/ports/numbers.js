/* Ports of small pieces of nextword that several instruments share: sums, softmax, entropy, draws. Arrays hold plain numbers. */

import { Refused } from "../state.js";

/** The sum of numbers, rounded once, as Python's `math.fsum`: the exact sum is kept as parts that do not overlap.
 * Source: Shewchuk (1997), "Adaptive Precision Floating-Point Arithmetic"; the last rounding is CPython's.
 * @param {Iterable<number>} values finite numbers
 */
export function fsum(values) {
  const parts = [];
  for (let x of values) {
    let kept = 0;
    for (let y of parts) {
      if (Math.abs(x) < Math.abs(y)) [x, y] = [y, x];
      const high = x + y;
      const low = y - (high - x);
      if (low) parts[kept++] = low;
      x = high;
    }
    parts.length = kept;
    parts.push(x);
  }
  let total = 0;
  let rest = 0;
  while (parts.length) {
    const x = total;
    const y = parts.pop();
    total = x + y;
    rest = y - (total - x);
    if (rest) break;
  }
  // half way between two floats, what is left decides where it is rounded to
  if (parts.length && Math.sign(rest) === Math.sign(parts.at(-1))) {
    const twice = 2 * rest;
    const moved = total + twice;
    if (twice === moved - total) total = moved;
  }
  return total;
}

/** nextword.softmax.softmax
 * @param {number[]} logits minus infinity stands for what is impossible
 */
export function softmax(logits, temperature = 1) {
  const largest = Math.max(...logits);
  if (largest === -Infinity) throw new Refused("No token is left");
  const exponentials = logits.map((logit) => Math.exp((logit - largest) / temperature));
  const total = fsum(exponentials);
  return exponentials.map((exponential) => exponential / total);
}

/** nextword.entropy.entropy, in nats
 * @param {number[]} probabilities
 */
export function entropy(probabilities) {
  return fsum(probabilities.filter((p) => p > 0).map((p) => -p * Math.log(p)));
}

/** nextword.sampling.draw
 * @param {number[]} probabilities @param {import("./random.js").Random} rng
 */
export function draw(probabilities, rng) {
  const uniform = rng.random();
  let running = 0;
  for (const [index, probability] of probabilities.entries()) {
    running += probability;
    if (uniform < running) return index;
  }
  return probabilities.findLastIndex((probability) => probability > 0);
}

/** nextword.entropy.perplexity; infinite where one of the probabilities is 0
 * @param {number[]} probabilities what a model gave to each token that came
 */
export function perplexity(probabilities) {
  return Math.exp(-fsum(probabilities.map(Math.log)) / probabilities.length);
}
