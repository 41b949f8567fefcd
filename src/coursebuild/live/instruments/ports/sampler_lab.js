/* What the sampler lab shows in a state, as coursebuild/instruments/sampler_lab.py computes it. */

import { Refused } from "../state.js";
import { STEPS } from "./decoding.js";
import { draw, entropy, fsum, softmax } from "./numbers.js";
import { Random } from "./random.js";

export function view(data, state) {
  const preset = data.presets[state.from];
  const logits = state.logits.length ? state.logits : preset.logits;
  const { tokens } = preset;
  if (logits.length !== tokens.length) throw new Refused(`logits must be ${tokens.length}, one for each token, not ${logits.length}`);
  const { history } = state;
  const stray = history.find((token) => token >= tokens.length);
  if (stray !== undefined) throw new Refused(`history must hold ids below ${tokens.length}, not ${stray}`);
  let present = [...logits];
  const steps = [];
  for (const name of state.order) {
    if (state[name] === data.off[name]) continue;
    present = STEPS[name](present, history, state[name]);
    const shares = softmax(present);
    steps.push({ name, left: countLeft(present), entropy: entropy(shares), after: shares });
  }
  const before = softmax(logits);
  const after = softmax(present);
  const rng = new Random(state.seed);
  const drawn = Array.from({ length: Number(state.draws) }, () => draw(after, rng));
  return {
    tokens,
    logits,
    before,
    after,
    final: present.map((logit) => (logit === -Infinity ? null : logit)),
    left: countLeft(present),
    kept: fsum(before.filter((_, token) => present[token] > -Infinity)),
    entropy: [entropy(before), entropy(after)],
    steps,
    drawn: drawn.slice(0, data.first),
    counts: tokens.map((_, token) => drawn.filter((one) => one === token).length),
    expected: after.map((share) => drawn.length * share),
  };
}

function countLeft(logits) {
  return logits.filter((logit) => logit > -Infinity).length;
}
