/* What the next-word explorer shows in a state, as coursebuild/instruments/next_word_explorer.py computes it. */

import { Refused } from "../state.js";
import { rankTokens } from "./decoding.js";
import {
  absoluteDiscounting,
  addK,
  Counts,
  distribution,
  END,
  generateSentence,
  interpolation,
  kneserNey,
  maximumLikelihood,
  paddedNgrams,
  START,
  tokenProbabilities,
  UnseenContext,
  vocabularyOf,
} from "./ngram.js";
import { perplexity } from "./numbers.js";
import { Random } from "./random.js";

const HIGHEST = 3;
const FAVOURITES = 3;
const NOISE = 1e-9; // by such a share scores and probabilities may differ that are the same but for rounding

const MODELS = {
  "maximum-likelihood": maximumLikelihood,
  "add-k": addK,
  interpolation,
  "absolute-discounting": absoluteDiscounting,
  "kneser-ney": kneserNey,
};

export function view(data, state) {
  const [training, held] = ["training", "held"].map((which) => data.texts[state.text][which].map((line) => line.split(" ")));
  const counts = new Counts(training, HIGHEST);
  const order = Number(state.order);
  const vocabulary = vocabularyOf(training, state.start_marker);
  const setting = data.settings[state.smoother] ?? null;
  const modelOf = (value) => MODELS[state.smoother](counts, order, vocabulary, value);
  const model = modelOf(state[setting]);
  const { words, ended } = written(data, state);
  const all = [...words, ...(ended ? [END] : [])];
  const chances = tokenProbabilities(model, [words]).slice(0, all.length);
  const context = [...Array(order - 1).fill(START), ...words].slice(words.length);
  const rng = new Random(state.seed);
  const drawn = Array.from({ length: data.sentences }, () => generateSentence(model, rng, data.limit));
  const lines = training.map((sentence) => sentence.join(" "));
  return {
    vocabulary,
    words: all,
    chances,
    product: chances.reduce((product, chance) => product * chance, 1),
    context,
    next: ended ? null : next(model, counts, context),
    perplexity: [score(model, training), score(model, held)],
    impossible: [impossible(model, training), impossible(model, held)],
    setting,
    curve: setting && curve(data.grids[setting].map(modelOf), training, held),
    drawn,
    recited: drawn.map((sentence) => lines.includes(sentence.join(" "))),
  };
}

function written(data, state) {
  const words = state.sentence ? state.sentence.split(" ") : [];
  if (words.length > data.longest) throw new Refused(`A sentence here has at most ${data.longest} words, not ${words.length}`);
  const ended = words.at(-1) === END;
  return { words: ended ? words.slice(0, -1) : words, ended };
}

function score(model, sentences) {
  const found = perplexity(tokenProbabilities(model, sentences));
  return Number.isFinite(found) ? found : null;
}

function impossible(model, sentences) {
  const ngrams = sentences.flatMap((sentence) => paddedNgrams(sentence, model.order));
  const chances = tokenProbabilities(model, sentences);
  return [...new Set(ngrams.filter((_, place) => chances[place] === 0).map((ngram) => ngram.join(" ")))];
}

function curve(models, training, held) {
  const [onTraining, onHeld] = [training, held].map((sentences) => models.map((model) => perplexity(tokenProbabilities(model, sentences))));
  const least = Math.min(...onHeld) * (1 + NOISE);
  return { training: onTraining, held: onHeld, lowest: onHeld.findIndex((one) => one <= least) };
}

/** What the model expects after a context, beside what was counted there. */
function next(model, counts, context) {
  const entryOf = (ending) => counts.tables[ending.length].get(ending.join(" "));
  const entry = entryOf(context);
  let probabilities = null;
  let told = "";
  try {
    probabilities = distribution(model, context);
  } catch (error) {
    if (!(error instanceof UnseenContext)) throw error;
    told = error.message;
  }
  const endings = [...context, ""].map((_, start) => context.slice(start));
  return {
    counts: model.vocabulary.map((token) => entry?.row.get(token) ?? 0),
    total: entry?.total ?? 0,
    counted: entry ? distribution(maximumLikelihood(counts, model.order, model.vocabulary), context) : null,
    probabilities,
    favourites: favourites(probabilities ?? []),
    told,
    endings: endings.map((ending) => ({
      context: ending,
      total: entryOf(ending)?.total ?? 0,
      different: entryOf(ending)?.row.size ?? 0,
    })),
  };
}

/** The places of the largest probabilities, those of equal ones together; none of what is impossible. */
function favourites(probabilities) {
  const found = [];
  for (const place of rankTokens(probabilities)) {
    const last = found.at(-1);
    if (last && probabilities[place] >= probabilities[last[0]] * (1 - NOISE)) last.push(place);
    else if (probabilities[place] > 0 && found.length < FAVOURITES) found.push([place]);
    else break;
  }
  return found.map((places) => places.sort((a, b) => a - b));
}
