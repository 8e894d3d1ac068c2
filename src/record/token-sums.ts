import type { TokenSums } from '../model/measures/counts.ts';
import { type TokenCounts, tokenSources } from '../model/observation/outcome.ts';

/** The sums of a group's tokens, by the source of the token counts. */
export type TokensBySource = Partial<Record<TokenCounts['source'], Omit<TokenSums, 'source'>>>;

type PromptPart = NonNullable<TokenSums['cached']>;

const noPart = (): PromptPart => ({ answers: 0, input: 0, tokens: 0 });

const addPart = (sums: PromptPart, input: number, tokens: number): void => {
  sums.answers += 1;
  sums.input += input;
  sums.tokens += Math.min(tokens, input);
};

export const recordTokens = (
  tokens: TokensBySource,
  { source, input, output, asked, cached, repeated }: TokenCounts,
): void => {
  const sums = (tokens[source] ??= { answers: 0, answersWithInput: 0, input: 0, output: 0 });
  sums.answers += 1;
  sums.output += output;
  if (input === null) return;
  sums.answersWithInput += 1;
  sums.input += input;
  if (cached !== undefined) addPart((sums.cached ??= noPart()), input, cached);
  if (repeated !== undefined) addPart((sums.repeated ??= noPart()), input, repeated);
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
