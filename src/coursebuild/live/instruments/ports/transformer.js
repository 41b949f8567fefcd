/* Ports of nextword.transformer, and of attention as a block of one head has it. A stream is an array of rows, one for each token. */

import { causalMask, scaledDotProductAttention } from "./attention.js";
import { add, matmul } from "./matrices.js";
import { fsum } from "./numbers.js";

export const EPS = 1e-5;

/** nextword.transformer.layer_norm, without gamma and beta
 * @param {number[]} x
 */
export function layerNorm(x) {
  const { mean, root } = spreadOf(x);
  return x.map((number) => (number - mean) / root);
}

/** What layer_norm subtracts and divides by.
 * @param {number[]} x
 */
export function spreadOf(x) {
  const mean = fsum(x) / x.length;
  const variance = fsum(x.map((number) => (number - mean) ** 2)) / x.length;
  return { mean, variance, root: Math.sqrt(variance + EPS) };
}

/** nextword.transformer.root_mean_square
 * @param {number[][]} matrix
 */
export function rootMeanSquare(matrix) {
  const squares = matrix.flat().map((number) => number * number);
  return Math.sqrt(fsum(squares) / squares.length);
}

/** nextword.transformer.linear_layer
 * @param {number[]} x @param {number[][]} weights @param {number[]} bias
 */
export const linearLayer = (x, weights, bias) => add(matmul([x], weights), [bias])[0];

/** nextword.transformer.relu */
export const relu = (x) => Math.max(0, x);

/** nextword.transformer.feed_forward
 * @param {number[]} x @param {number[][]} w1 @param {number[]} b1 @param {number[][]} w2 @param {number[]} b2
 */
export const feedForward = (x, w1, b1, w2, b2) => linearLayer(linearLayer(x, w1, b1).map(relu), w2, b2);

/** nextword.attention.multi_head_attention, of one head under the causal mask
 * @returns {[number[][], number[][]]} the outputs, and the weights
 */
export function causalAttention(rows, wQ, wK, wV, wO) {
  const mask = causalMask(rows.length);
  const [outputs, weights] = scaledDotProductAttention(matmul(rows, wQ), matmul(rows, wK), matmul(rows, wV), mask);
  return [matmul(outputs, wO), weights];
}

/** nextword.transformer.pre_norm_block */
export function preNormBlock(x, attention, mlp, norm = layerNorm) {
  const h = add(x, attention(x.map(norm)));
  return add(h, h.map((row) => mlp(norm(row))));
}

/** nextword.transformer.post_norm_block */
export function postNormBlock(x, attention, mlp) {
  const h = add(x, attention(x)).map(layerNorm);
  return add(h, h.map(mlp)).map(layerNorm);
}
