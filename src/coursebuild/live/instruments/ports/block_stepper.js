/* What the block stepper shows in a state, as coursebuild/instruments/block_stepper.py computes it. */

import { add, drawMatrix, matmul } from "./matrices.js";
import { Random } from "./random.js";
import { causalAttention, feedForward, layerNorm, linearLayer, postNormBlock, preNormBlock, relu, rootMeanSquare, spreadOf } from "./transformer.js";

const same = (row) => row;
const BLOCKS = {
  pre: preNormBlock,
  post: postNormBlock,
  none: (x, attention, mlp) => preNormBlock(x, attention, mlp, same),
};

export function view(data, state) {
  const weights = kept(`${state.seed} ${state.weights}`, () => weightsOf(data, state));
  const streams = (order) => kept(`${state.seed} ${state.weights} ${order}`, () => streamsOf(data, order, weights));
  const steps = stepsOf(streams(state.order)[state.block - 1], data.steps[state.order], weights[state.block - 1]);
  const sizes = (order) => kept(`${state.seed} ${state.weights} ${order} sizes`, () => streams(order).map(rootMeanSquare));
  const depth = (order) => depthOf(streams(order), sizes(order), order, state.block);
  return {
    steps: steps.map((rows) => ({ rows, rms: rootMeanSquare(rows) })),
    alike: isAlike(steps.at(-1), data.alike),
    detail: detailOf(steps, data, state, weights[state.block - 1]),
    depth: { pre: depth("pre"), post: depth("post"), none: depth("none") },
  };
}

const memory = new Map();

/** What was computed already: a deep stack takes a moment. */
function kept(name, compute) {
  if (!memory.has(name)) memory.set(name, compute());
  return memory.get(name);
}

/** The weights of each block of the stack, in the order in which panel 21.3 draws them. */
function weightsOf({ width: d, wide, limit, deepest }, state) {
  const rng = new Random(Number(state.seed));
  const drawn = () => {
    const [wQ, wK, wV, wO, w1, [b1], w2, [b2]] = [[d, d], [d, d], [d, d], [d, d], [d, wide], [1, wide], [wide, d], [1, d]].map(
      ([rows, columns]) => drawMatrix(rows, columns, limit, rng),
    );
    return {
      attention: (rows) => causalAttention(rows, wQ, wK, wV, wO),
      mlp: (row) => feedForward(row, w1, b1, w2, b2),
      ...{ wV, wO, w1, b1, w2, b2 },
    };
  };
  const first = drawn();
  return Array.from({ length: deepest }, (_, block) => (block && state.weights === "fresh" ? drawn() : first));
}

/** The stream before the first block and behind each, while it is smaller than `data.top`. */
function streamsOf({ x, top }, order, weights) {
  const streams = [x];
  for (const { attention, mlp } of weights) {
    const stream = BLOCKS[order](streams.at(-1), (rows) => attention(rows)[0], mlp);
    if (rootMeanSquare(stream) >= top) break;
    streams.push(stream);
  }
  return streams;
}

function stepsOf(x, steps, { attention, mlp }) {
  const found = [x];
  for (const [kind, , reads] of steps) {
    const rows = found[reads[0]];
    if (kind === "norm") found.push(rows.map(layerNorm));
    else if (kind === "attention") found.push(attention(rows)[0]);
    else if (kind === "feed_forward") found.push(rows.map(mlp));
    else found.push(add(rows, found[reads[1]]));
  }
  return found;
}

/** Whether all tokens have the same numbers, up to less than is written. */
function isAlike(rows, most) {
  return rows[0].every((_, column) => {
    const numbers = rows.map((row) => row[column]);
    return Math.max(...numbers) - Math.min(...numbers) < most;
  });
}

/** What the chosen number of the step is computed from. */
function detailOf(steps, data, { order, step, token, feature }, { attention, wV, wO, w1, b1, w2, b2 }) {
  if (!step) return {};
  const [kind, , reads] = data.steps[order][step - 1];
  const rows = steps[reads[0]];
  if (kind === "norm") return spreadOf(rows[token]);
  if (kind === "attention") {
    const values = matmul(matmul(rows, wV), wO);
    return { weights: attention(rows)[1][token], values: values.map((value) => value[feature]) };
  }
  if (kind === "feed_forward") {
    const wide = linearLayer(rows[token], w1, b1).map(relu);
    return { wide, column: w2.map((out) => out[feature]), bias: b2[feature] };
  }
  return { terms: reads.map((place) => steps[place][token][feature]) };
}

/** The stream's size before and behind each block, what is read behind the present one, and what that changed. */
function depthOf(streams, sizes, order, block) {
  if (block >= streams.length) return { sizes, read: null, change: null };
  const rows = streams[block];
  const before = streams[block - 1];
  const change = rows.map((row, i) => row.map((x, j) => x - before[i][j]));
  return {
    sizes,
    read: rootMeanSquare(order === "pre" ? rows.map(layerNorm) : rows),
    change: rootMeanSquare(change) / sizes[block - 1],
  };
}
