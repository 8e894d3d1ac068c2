import type { TokenSums } from '../model/measures/counts.ts';
import { type TokenCounts, tokenSources } from '../model/observation/outcome.ts';

/** The sums of one source of token counts; added if missing. */
const sumsOf = (all: TokenSums[], source: TokenCounts['source']): TokenSums => {
  let sums = all.find((each) => each.source === source);
  if (sums === undefined) {
    sums = { source, answers: 0, answersWithInput: 0, input: 0, output: 0 };
    all.push(sums);
  }
  return sums;
};

const addSyntheticSums = (
  sums: TokenSums,
  { answers, asked, input }: NonNullable<TokenSums['made']>,
): void => {
  const made = (sums.made ??= { answers: 0, asked: 0, input: 0 });
  made.answers += answers;
  made.asked += asked;
  made.input += input;
};

/** Adds one completed answer. */
export const recordTokens = (
  all: TokenSums[],
  { source, input, output, asked }: TokenCounts,
): void => {
  const sums = sumsOf(all, source);
  sums.answers += 1;
  sums.output += output;
  if (input === null) return;
  sums.answersWithInput += 1;
  sums.input += input;
  if (asked !== undefined) addSyntheticSums(sums, { answers: 1, asked, input });
};

/** Adds the sums of another group, which do not change. */
export const addTokens = (into: TokenSums[], from: readonly TokenSums[]): void => {
  for (const { source, answers, answersWithInput, input, output, made } of from) {
    const sums = sumsOf(into, source);
    sums.answers += answers;
    sums.answersWithInput += answersWithInput;
    sums.input += input;
    sums.output += output;
    if (made !== undefined) addSyntheticSums(sums, made);
  }
};

/** The sums as a result holds them. */
export const tokensInOrder = (all: readonly TokenSums[]): TokenSums[] =>
  tokenSources.flatMap((source) =>
    all.filter((sums) => sums.source === source).map((sums) => structuredClone(sums)),
  );
