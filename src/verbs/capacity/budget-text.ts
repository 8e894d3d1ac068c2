import { drawRequestContent } from '../../engine/request-content.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { instant } from '../../model/quantity.ts';
import { countText, timeText } from '../../report/text/number-text.ts';
import { requestNeedsOf } from '../../traffic/request/request-needs.ts';
import { coarseText } from './capacity-budget.ts';
import type { SearchBudget } from './find-capacity.ts';

/** This file computes the budget that a search prints before any request: the most that the search may spend. */

const sampledRequests = 50;

/**
 * Returns a request's maximum tokens and its maximum cost in micro-units, each as the mean over the plan's first 50
 * requests. The cost is `null` if a price or the length of an answer is unknown.
 */
const estimateOf = (sliceRequest: SliceOptions) => {
  let tokens = 0;
  let cost: number | null = 0;
  for (let index = 0; index < sampledRequests; index += 1) {
    const arrival = { stage: 0, index, due: instant(0) };
    const { traffic, ...drawing } = drawRequestContent(sliceRequest, arrival);
    const needs = requestNeedsOf(traffic, { ...drawing, clips: sliceRequest.clips });
    tokens += needs.input + (needs.output ?? 0);
    cost = cost === null || needs.cost === null ? null : cost + needs.cost;
  }
  return { tokens: tokens / sampledRequests, cost: cost === null ? null : cost / sampledRequests };
};

export const budgetText = (
  sliceRequest: SliceOptions,
  { requests, seconds }: SearchBudget,
): string => {
  const { tokens, cost } = estimateOf(sliceRequest);
  return [
    `at most ${countText(requests)} requests`,
    `about ${coarseText(tokens * requests)} tokens for them`,
    cost === null
      ? 'money unknown: the scenario names no price, or nothing bounds the answers'
      : `about ${coarseText(Math.ceil(cost * requests) / 1e6)} of your currency`,
    `at most ${timeText(seconds * 1000)} of load and the answers’ own time`,
  ].join('; ');
};
