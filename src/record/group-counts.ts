import type { Group, TokenSums } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type RequestObjective, objectivesMet } from '../model/plan/objective.ts';
import { type TokenCounts, tokenSources } from '../model/observation/outcome.ts';

type ObjectiveCounts = NonNullable<Group['good']>;
type ObjectiveCountsHolder = Pick<Group, 'good'>;

const objectiveCountsOf = (group: ObjectiveCountsHolder, objectives: number): ObjectiveCounts => {
  group.good ??= { all: 0, each: Array.from({ length: objectives }, () => 0) };
  return group.good;
};

/** Counts an observation that meets the plan's per-request objectives. A group of failed requests has zeros. */
export const recordObjectiveCounts = (
  group: ObjectiveCountsHolder,
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): void => {
  if (objectives.length === 0) return;
  const good = objectiveCountsOf(group, objectives.length);
  if (observation.outcome.kind !== 'completed') return;
  const kept = objectivesMet(objectives, observation, stage);
  if (kept.every(Boolean)) good.all += 1;
  for (const [i, isKept] of kept.entries()) good.each[i]! += isKept ? 1 : 0;
};

export const addObjectiveCounts = (
  into: ObjectiveCountsHolder,
  { good: from }: ObjectiveCountsHolder,
): void => {
  if (from === undefined) return;
  const good = objectiveCountsOf(into, from.each.length);
  good.all += from.all;
  for (const [i, kept] of from.each.entries()) good.each[i]! += kept;
};

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
