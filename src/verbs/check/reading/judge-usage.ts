import { mostTokensOf } from '../../../model/measures/usage-audit.ts';
import { chatCostOf, type Price } from '../../../model/workload/price.ts';
import type { TokenCounter } from '../../../model/workload/tokenizer.ts';
import type { AuditedAnswer } from './audited-answer.ts';
import { deviation, type Judged, open, pass, unchecked, violation } from './check-case.ts';

/**
 * This file judges the usage of single answers. A finding of impossible usage names the bounds of the possible tokens.
 */

const reasoningOf = ({ usage }: AuditedAnswer): number => usage.classes.reasoning ?? 0;

const outputBounds = (reported: number, most: number): NonNullable<Judged['bounds']> => ({
  of: 'output',
  reported,
  least: 0,
  most,
});

export const judgeTotal = ({ id, input, output, usage }: AuditedAnswer): Judged =>
  usage.isOff
    ? violation(`${id}: the total is not ${input} + ${output} tokens, nor with any part beside`)
    : pass(`${input} + ${output}`);

/** Judges the output tokens by the requested limit. Some servers do not limit the tokens of reasoning. */
export const judgeLimit = (answer: AuditedAnswer, limit: number): Judged => {
  const { id, output, finish, text } = answer;
  if (output <= limit) return pass(`${output} of ${limit} tokens`);
  const reasoning = reasoningOf(answer);
  if (output - reasoning <= limit)
    return open(`${id}: ${output} output tokens, of which ${reasoning} are declared as reasoning`);
  if (finish !== 'length' && Buffer.byteLength(text) > limit)
    return unchecked(`${id}: the server may not keep max_tokens`);
  return {
    ...violation(`${id}: reported ${output} output tokens: at most ${limit} were asked for`),
    bounds: outputBounds(output, limit),
  };
};

/**
 * The maximum ratio of the tokens that a model reports for a text to the tokens that its tokenizer counts in the text.
 */
const maxSplit = 1.1;

/** Judges whether the output tokens can be the tokens of the text. Each token has at least one byte. */
export const judgeText = (answer: AuditedAnswer, tokenizer: TokenCounter | undefined): Judged => {
  const { id, output, text, hasCalls } = answer;
  if (hasCalls) return unchecked(`${id}: the tokens of a call are not known`);
  const reasoning = reasoningOf(answer);
  const bytes = Buffer.byteLength(text);
  const counted = tokenizer === undefined ? bytes : Math.ceil(maxSplit * tokenizer.count(text));
  const most = mostTokensOf(counted);
  if (output <= most) return pass(`${output} tokens for ${bytes} bytes`);
  if (output - reasoning <= most) {
    const observed = `${id}: ${reasoning} of ${output} output tokens are declared as reasoning`;
    return open(`${observed}, which is not shown`);
  }
  const declared = reasoning === 0 ? 'no reasoning' : `reasoning of ${reasoning} tokens`;
  return {
    ...violation(
      `${id}: reported ${output} output tokens for ${bytes} bytes of text, and ${declared} is declared: at most ${most + reasoning} are possible; undeclared reasoning, or a tool that the server ran and does not show, could explain them`,
    ),
    bounds: outputBounds(output, most + reasoning),
  };
};

/** The maximum number of tokens at the end of an answer that the answer's list of tokens may lack. */
const maxUnlisted = 2;

/**
 * Judges the output tokens by the list of tokens. The list may hold only the content, so reasoning is added: the
 * declared reasoning tokens or the bytes of the reasoning text, whichever is larger.
 */
export const judgeListed = (answer: AuditedAnswer): Judged => {
  const { id, output, listed, reasoningText } = answer;
  if (listed === null || listed === 0) return unchecked(`${id}: no tokens are listed`);
  const reasoning = Math.max(reasoningOf(answer), Buffer.byteLength(reasoningText));
  const most = listed + reasoning + maxUnlisted;
  const observed = `${id}: reported ${output} output tokens, and lists ${listed}`;
  if (output <= most) return pass(observed);
  return {
    ...violation(`${observed}: at most ${most} are possible`),
    bounds: outputBounds(output, most),
  };
};

/** Returns whether two costs differ only by rounding: by at most 1 %, or a millionth of the currency. */
const isEqualCost = (a: number, b: number): boolean => Math.abs(a - b) <= Math.max(1, 0.01 * b);

const tokensOf = ({ input, output, usage }: AuditedAnswer) => ({
  input,
  output,
  ...usage.classes,
});

/** Compares the cost that an answer names with the prices. Costs are in millionths of the currency. */
const judgeByPrice = (answer: AuditedAnswer, cost: number, price: Price): Judged => {
  const { id, input, output } = answer;
  const cached = answer.usage.classes.cached ?? 0;
  const expected = chatCostOf(tokensOf(answer), price);
  const named = `${id}: cost ${cost / 1e6} is named, and ${expected / 1e6} by your prices`;
  if (isEqualCost(cost, expected)) return pass(named);
  return cached > 0 && isEqualCost(cost, chatCostOf({ input, output }, price))
    ? violation(`${named}: ${cached} cached tokens are billed as others`)
    : deviation('other-price', named);
};

/** Judges the cost of a prompt that was sent twice. The prompt may come from a cache the second time. */
export const judgeCost = (
  first: AuditedAnswer,
  again: AuditedAnswer,
  price: Price | undefined,
): Judged => {
  const [before = 0, cached = 0] = [first, again].map(({ usage }) => usage.classes.cached);
  const seen = `${cached} of ${again.input} prompt tokens were reported as cached`;
  if (again.cost === null) return open(`${seen}, and no cost is named`);
  if (price !== undefined) return judgeByPrice(again, again.cost * 1e6, price);
  if (first.cost === null || cached <= before) return open(`${seen}; the cost is ${again.cost}`);
  if (again.cost < first.cost || again.output > first.output)
    return pass(`${seen}; the cost fell from ${first.cost} to ${again.cost}`);
  return deviation(
    'cached-at-full-price',
    `${seen} after ${before}, and the cost is ${again.cost} after ${first.cost}`,
  );
};
