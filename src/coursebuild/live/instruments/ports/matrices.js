/* Ports of nextword.matrices. A matrix is an array of rows. */

import { fsum } from "./numbers.js";

/** nextword.matrices.dot
 * @param {number[]} a @param {number[]} b
 */
export const dot = (a, b) => fsum(a.map((x, index) => x * b[index]));

/** nextword.matrices.transpose
 * @param {number[][]} matrix
 */
export const transpose = (matrix) => matrix[0].map((_, column) => matrix.map((row) => row[column]));

/** nextword.matrices.matmul
 * @param {number[][]} a @param {number[][]} b
 */
export function matmul(a, b) {
  const columns = transpose(b);
  return a.map((row) => columns.map((column) => dot(row, column)));
}

/** nextword.matrices.add
 * @param {number[][]} a @param {number[][]} b
 */
export const add = (a, b) => a.map((row, i) => row.map((x, j) => x + b[i][j]));

/** nextword.matrices.draw_matrix
 * @param {number} rows @param {number} columns @param {number} limit @param {import("./random.js").Random} rng
 */
export function drawMatrix(rows, columns, limit, rng) {
  return Array.from({ length: rows }, () => Array.from({ length: columns }, () => -limit + 2 * limit * rng.random()));
}
