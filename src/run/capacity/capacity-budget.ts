import { drawRequestContent } from '../../engine/request-content.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { instant } from '../../model/quantity.ts';
import type { Traffic } from '../../model/workload/traffic.ts';
import type { SearchBudget } from '../../probe/find-capacity.ts';
import { countText, moneyText, timeText } from '../../report/text/number-text.ts';
import { tokenDemand } from '../../traffic/request/token-demand.ts';

/** Number of requests that the estimate is based on. */
const sampledRequests = 50;
/** Characters per token, as gateways estimate. */
const charactersPerToken = 4;

/** The most that the first requests of the plan may use, on average; the cost in micro-units, `null` if a price is unknown. */
const estimateOf = (sliceRequest: SliceOptions) => {
  let [tokens, cost] = [0, 0];
  let isPriced = true;
  for (let index = 0; index < sampledRequests; index += 1) {
    const arrival = { stage: 0, index, due: instant(0) };
    const { traffic, draw, ask } = drawRequestContent(sliceRequest, arrival);
    const demand = tokenDemand(traffic, { draw, ask });
    const input = Math.ceil((demand?.characters ?? 0) / charactersPerToken);
    const output = demand?.output ?? 0;
    const price = priceOf(traffic);
    tokens += input + output;
    cost += ((price?.input ?? 0) * input + (price?.output ?? 0) * output) / 1e6;
    // Without a bound on the answer, the cost has no bound.
    isPriced &&= price !== null && (demand === null || output > 0);
  }
  return { tokens: tokens / sampledRequests, cost: isPriced ? cost / sampledRequests : null };
};

/** `null` if a price is unknown. */
const priceOf = (traffic: Traffic): { readonly input: number; readonly output: number } | null => {
  if (traffic.kind === 'models') return { input: 0, output: 0 };
  return 'price' in traffic ? traffic.price : null;
};

/** What a search may spend, as a sentence. */
export const budgetText = (
  sliceRequest: SliceOptions,
  { requests, seconds }: SearchBudget,
): string => {
  const { tokens, cost } = estimateOf(sliceRequest);
  return [
    `at most ${countText(requests)} requests`,
    `about ${countText(tokens * requests)} tokens for them`,
    cost === null
      ? 'money unknown: the scenario names no price, or nothing bounds the answers'
      : `about ${moneyText(Math.ceil(cost * requests))} of your currency`,
    `at most ${timeText(seconds * 1000)} of load and the answers’ own time`,
  ].join('; ');
};
