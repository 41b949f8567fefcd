/* Ports of nextword.attention. Rows stand for tokens; a mask has true where a query may look, and null stands for everywhere. */

import { matmul, transpose } from "./matrices.js";
import { softmax } from "./numbers.js";

/** nextword.attention.attention_scores
 * @param {number[][]} queries @param {number[][]} keys @param {number} width d_k, as which `keys` may leave out zeros
 */
export function attentionScores(queries, keys, scaled = true, width = keys[0].length) {
  const root = scaled ? Math.sqrt(width) : 1;
  return matmul(queries, transpose(keys)).map((row) => row.map((product) => product / root));
}

/** nextword.attention.causal_mask
 * @param {number} n
 */
export const causalMask = (n) => Array.from({ length: n }, (_, query) => Array.from({ length: n }, (_, key) => key <= query));

/** nextword.attention.masked_softmax
 * @param {number[][]} scores @param {boolean[][] | null} mask no row of which is false throughout
 */
export function maskedSoftmax(scores, mask) {
  return scores.map((row, query) => softmax(row.map((score, key) => (!mask || mask[query][key] ? score : -Infinity))));
}

/** nextword.attention.scaled_dot_product_attention
 * @returns {[number[][], number[][]]} the outputs, and the weights
 */
export function scaledDotProductAttention(queries, keys, values, mask = null, scaled = true, width = keys[0].length) {
  const weights = maskedSoftmax(attentionScores(queries, keys, scaled, width), mask);
  return [matmul(weights, values), weights];
}
