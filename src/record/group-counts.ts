import type { Group, TokenSums } from '../model/measures/counts.ts';
import type { Observation } from '../model/observation/observation.ts';
import { type RequestObjective, objectivesMet } from '../model/plan/objective.ts';
import { type TokenCounts, tokenSources } from '../model/observation/outcome.ts';

/** Counts an observation that meets the plan's per-request objectives. A group of failed requests has zeros. */
export const recordObjectiveCounts = (
  group: Pick<Group, 'good'>,
  objectives: readonly RequestObjective[],
  observation: Observation,
  stage: string,
): void => {
  if (objectives.length === 0) return;
  const good = (group.good ??= { all: 0, each: objectives.map(() => 0) });
  if (observation.outcome.kind !== 'completed') return;
  const kept = objectivesMet(objectives, observation, stage);
  if (kept.every(Boolean)) good.all += 1;
  for (const [i, isKept] of kept.entries()) good.each[i]! += isKept ? 1 : 0;
};

/** The token sums of a group by the source of the counts. */
export type TokensBySource = Partial<Record<TokenCounts['source'], Omit<TokenSums, 'source'>>>;

export const recordTokens = (
  tokens: TokensBySource,
  { source, input, output, asked }: TokenCounts,
): void => {
  const sums = (tokens[source] ??= { answers: 0, answersWithInput: 0, input: 0, output: 0 });
  sums.answers += 1;
  sums.output += output;
  if (input === null) return;
  sums.answersWithInput += 1;
  sums.input += input;
  if (asked === undefined) return;
  const made = (sums.made ??= { answers: 0, asked: 0, input: 0 });
  made.answers += 1;
  made.asked += asked;
  made.input += input;
};

export const storeTokens = (tokens: TokensBySource): TokenSums[] =>
  tokenSources.flatMap((source) => {
    const sums = tokens[source];
    return sums === undefined ? [] : [{ source, ...structuredClone(sums) }];
  });

export const restoreTokens = (stored: readonly TokenSums[]): TokensBySource =>
  Object.fromEntries(stored.map(({ source, ...sums }) => [source, sums]));
