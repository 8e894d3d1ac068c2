import type { TokenCount } from '../../model/workload/token-count.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { TraceLoad } from '../../model/workload/trace.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import { countText, plural, timeText } from '../text/number-text.ts';

/** Describes prompts and traces in words. */

/** A count of tokens, such as `800 tokens` or `800 tokens in the middle (lognormal, sigma 0.6)`. */
export const tokenCountText = (count: TokenCount): string => {
  if (typeof count === 'number') return plural(count, 'token');
  switch (count.kind) {
    case 'uniform':
      return `${countText(count.min)} to ${plural(count.max, 'token')}`;
    case 'normal':
      return `${plural(count.mean, 'token')} on average (normal, deviation ${countText(count.deviation)})`;
    case 'lognormal':
      return `${plural(count.median, 'token')} in the middle (lognormal, sigma ${count.sigma})`;
    case 'empirical':
      return `tokens by ${plural(count.values.length, 'value')} of a list`;
  }
};

/** Where prompts come from, in a few words. */
export const promptsText = (conversations: TrafficOf<'chat'>['conversations']): string => {
  if (Array.isArray(conversations)) return plural(conversations.length, 'prompt');
  switch (conversations.kind) {
    case 'synthetic': {
      const { tokens, turns, prefix, cache } = conversations;
      const shared =
        prefix === null
          ? ''
          : `, of which ${plural(prefix.tokens, 'token')} are one of ${plural(prefix.pool, 'shared beginning')}`;
      const alike = cache === 'invite' ? ', all beginning alike' : '';
      const what =
        turns === null
          ? 'made-up prompts'
          : `synthetic conversations of ${plural(turns.count, 'question')}, each`;
      return `${what} of ${tokenCountText(tokens)}${shared}${alike}`;
    }
    case 'dataset':
      return `one of ${plural(conversations.prompts, 'prompt')} from ${conversations.file}`;
    case 'trace':
      return 'prompts and answers of the trace’s lengths';
  }
};

/** A trace load in a few words. */
export const traceText = ({ file, speed, from, until, facts }: TraceLoad): string => {
  const pace = speed === 1 ? '' : ` at ${speed} times its pace`;
  const begin = from === 0 ? '' : ` from ${timeText(from)}`;
  const end = until === null ? '' : ` until ${timeText(until)}`;
  return `the ${facts.format} trace ${file}${begin}${end}${pace}: ${plural(facts.requests, 'request')} in ${timeText(facts.duration)}`;
};

const minute = 60_000;

/** The need per minute; a trace shorter than a minute is counted as a whole. */
const traceNeedLine = ({
  requests,
  inputTokens,
  outputTokens,
  duration,
  busiestMinute,
}: TraceLoad['facts']): string => {
  if (duration < minute) {
    return `it needs ${plural(requests, 'request')}, ${countText(inputTokens)} input and ${plural(outputTokens, 'output token')} in all, within less than a minute`;
  }
  const average = (total: number): string => countText(Math.round((total * minute) / duration));
  return `it needs ${average(requests)} requests, ${average(inputTokens)} input and ${average(outputTokens)} output tokens a minute on average; in its busiest minutes ${plural(busiestMinute.requests, 'request')} and ${plural(busiestMinute.tokens, 'token')}`;
};

const limitsLine = ({ limits, keys }: Plan, { busiestMinute }: TraceLoad['facts']): string[] => {
  const { requestsPerMinute, tokensPerMinute } = limits;
  const needed = Math.max(
    requestsPerMinute === null ? 0 : Math.ceil(busiestMinute.requests / requestsPerMinute),
    tokensPerMinute === null ? 0 : Math.ceil(busiestMinute.tokens / tokensPerMinute),
  );
  if (needed === 0) return [];
  return [
    `by the declared limits of a key that minute needs ${plural(needed, 'key')}; the plan has ${keys.length}`,
  ];
};

const clippedText = ({
  maxInputTokens,
  maxOutputTokens,
  facts: { clipped },
}: TraceLoad): string => {
  const parts = [
    [clipped.outside, 'request', 'outside the cut'],
    [clipped.inputs, 'prompt', `clipped to ${countText(maxInputTokens ?? 0)} tokens`],
    [clipped.outputs, 'answer', `clipped to ${countText(maxOutputTokens ?? 0)} tokens`],
    [clipped.raised, 'empty length', 'raised to one token'],
  ] as const;
  const clippedTexts = parts
    .filter(([count]) => count > 0)
    .map(([count, what, how]) => `${plural(count, what)} ${how}`);
  return clippedTexts.length === 0 ? 'nothing is clipped' : clippedTexts.join(', ');
};

/** What each trace of a plan needs and what was clipped, as lines; none without traces. */
export const traceNeeds = (plan: Plan): readonly string[] =>
  plan.stages.flatMap(({ name, load }) => {
    if (load.kind !== 'trace') return [];
    return [
      `${name}: ${traceText(load)}`,
      ...[traceNeedLine(load.facts), ...limitsLine(plan, load.facts), clippedText(load)].map(
        (line) => `  ${line}`,
      ),
    ];
  });
