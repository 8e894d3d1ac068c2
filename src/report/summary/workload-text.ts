import type { TokenCount } from '../../model/workload/token-count.ts';
import { type LimitsPerMinute, sumOfLimits } from '../../model/plan/limits-per-minute.ts';
import type { Load, OpenLoad, Plan } from '../../model/plan/plan.ts';
import { endsWithAnswers, stageSpans } from '../../model/plan/stage-spans.ts';
import { type Milliseconds, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { type TraceLoad, unitNames } from '../../model/workload/trace.ts';
import type { PromptSourceOf } from '../../model/workload/prompt-source.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';

/** This file describes loads, prompts and traces in words. */

/** Formats a number of tokens: `800 tokens`, or `800 tokens in the middle (lognormal, sigma 0.6)`. */
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

export const promptsText = (conversations: TrafficOf<'chat'>['conversations']): string => {
  if (Array.isArray(conversations)) return plural(conversations.length, 'prompt');
  switch (conversations.kind) {
    case 'synthetic': {
      const { tokens, turns, prefix, cache } = conversations;
      const shared =
        prefix === null
          ? ''
          : `, of which ${plural(prefix.tokens, 'token')} are one of ${plural(prefix.pool, 'shared beginning')}`;
      const alike = textIf(cache === 'invite', ', all beginning alike');
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

const traceText = ({ file, speed, from, until, facts }: TraceLoad): string => {
  const pace = textIf(speed !== 1, ` at ${speed} times its pace`);
  const begin = textIf(from !== 0, ` from ${timeText(from)}`);
  const end = until === null ? '' : ` until ${timeText(until)}`;
  return `the ${facts.format} trace ${file}${begin}${end}${pace}: ${plural(facts.requests, 'request')} in ${timeText(facts.duration)}`;
};

const rate = (value: number): string => `${Number(value.toFixed(2))}/s`;

const openText = ({ curve, spacing }: OpenLoad): string => {
  const pieces = curve.map(({ from, to, duration }) =>
    from === to
      ? `${rate(to)} for ${timeText(duration)}`
      : `${rate(from)} → ${rate(to)} in ${timeText(duration)}`,
  );
  const gamma = typeof spacing === 'object' && `gamma of shape ${spacing.gamma}`;
  return present([pieces.join(', then '), spacing === 'poisson' && 'Poisson', gamma]).join(', ');
};

/** Formats a load in a few words: `20/s → 40/s in 30 s, Poisson`. */
export const loadText = (load: Load): string => {
  const users = 'users' in load ? plural(load.users, 'user') : '';
  const think =
    'thinkTime' in load && load.thinkTime > 0 ? `, thinking ${timeText(load.thinkTime)}` : '';
  switch (load.kind) {
    case 'open':
      return openText(load);
    case 'closed':
      return `${users} for ${timeText(load.duration)}${think}, ramped up in ${timeText(load.rampUp)}`;
    case 'saturate':
      return `${plural(load.connections, 'connection')} flat out for ${timeText(load.duration)}`;
    case 'trace':
      return traceText(load);
    case 'iterations':
      return `${users} sharing ${plural(load.iterations, 'request')}${think}, at most ${timeText(load.maxDuration)}`;
  }
};

const lasting = (load: Load, duration: Milliseconds): Load => {
  if (load.kind === 'closed' || load.kind === 'saturate') return { ...load, duration };
  if (load.kind !== 'open') return load;
  return { ...load, curve: load.curve.map((piece) => ({ ...piece, duration })) };
};

/**
 * Says how long the loads of a plan last. The text contains `at most` if answers or objectives can end the last load
 * earlier.
 */
export const plannedTime = (plan: Plan): string => {
  const whole = Math.max(...stageSpans(plan).map(({ to }) => to));
  const mayEndEarlier = plan.until !== undefined || endsWithAnswers(plan);
  return `${textIf(mayEndEarlier, 'at most ')}${timeText(whole)}`;
};

type RanLoads = Pick<Result, 'plan' | 'scheduled' | 'partial'>;

/**
 * Describes the load of each stage of a run. If objectives ended the run early, the last text says how long the last
 * load lasted.
 */
export const loadTexts = ({ plan, scheduled, partial }: RanLoads): readonly string[] => {
  const texts = plan.stages.map(({ load }) => loadText(load));
  const { from, to } = stageSpans(plan).at(-1)!;
  if (plan.until === undefined || partial !== null || scheduled >= to) return texts;
  const last = lasting(plan.stages.at(-1)!.load, milliseconds(scheduled - from));
  return [...texts.slice(0, -1), `${loadText(last)}, decided`];
};

/**
 * Formats the load of a run with one stage. For a run with several stages, returns the number of its populations or
 * stages.
 */
export const loadsText = (run: RanLoads): string => {
  const texts = loadTexts(run);
  const { populations } = run.plan;
  if (populations !== undefined) return plural(populations.length, 'population');
  return texts.length === 1 ? texts[0]! : plural(texts.length, 'stage');
};

const minute = 60_000;

/** Says how many requests and tokens the trace needs per minute, or in all if it is shorter than a minute. */
const traceNeedLine = (facts: TraceLoad['facts']): string => {
  const { requests, inputTokens, outputTokens, duration, busiestMinute } = facts;
  if (duration < minute) {
    return `it needs ${plural(requests, 'request')}, ${countText(inputTokens)} input and ${plural(outputTokens, 'output token')} in all, within less than a minute`;
  }
  const average = (total: number): string => countText(Math.round((total * minute) / duration));
  return `it needs ${average(requests)} requests, ${average(inputTokens)} input and ${average(outputTokens)} output tokens a minute on average; in its busiest minutes ${plural(busiestMinute.requests, 'request')} and ${plural(busiestMinute.tokens, 'token')}`;
};

const limitsLine = (plan: Plan, { busiestMinute }: TraceLoad['facts']): string | null => {
  const count = plan.keys.length;
  // With several targets, the number of keys needed cannot be computed, since each target needs its own keys.
  if (plan.targets !== undefined) return null;
  // Without a limit, the division by infinity gives 0, so no key is needed.
  const keysFor = (used: number, field: keyof LimitsPerMinute): number =>
    Math.ceil((used * count) / (sumOfLimits(plan, field) ?? Number.POSITIVE_INFINITY));
  const needed = Math.max(
    keysFor(busiestMinute.requests, 'requestsPerMinute'),
    keysFor(busiestMinute.tokens, 'tokensPerMinute'),
  );
  return needed === 0
    ? null
    : `by the declared limits of a key that minute needs ${plural(needed, 'key')}; the plan has ${count}`;
};

/**
 * Says how long the recorded trace is, in which unit its times were read, and how many requests its busiest second has.
 */
const spanLine = ({ speed, facts }: TraceLoad): string => {
  const { unit, duration, busiestSecond } = facts;
  const taken = unit === undefined ? '' : `, with its times in ${unitNames[unit]}`;
  const second =
    busiestSecond === undefined
      ? ''
      : `; the busiest second has ${plural(busiestSecond, 'request')}`;
  return `as recorded it spans ${timeText(duration * speed)}${taken}${second}`;
};

/** Returns a sentence on the fields of a trace that are not replayed; `null` if all fields are replayed. */
const unreadText = ({ unread }: TraceLoad['facts']): string | null => {
  const names = Object.entries(unread ?? {}).map(
    ([name, n]) => `"${name}" (${plural(n, 'request')})`,
  );
  return names.length === 0 ? null : `these fields are not replayed: ${names.join(', ')}`;
};

const clippedText = ({ maxInputTokens, maxOutputTokens, facts }: TraceLoad): string => {
  const { clipped } = facts;
  const parts = [
    [clipped.outside, 'request', 'outside the cut'],
    [clipped.inputs, 'prompt', `clipped to ${countText(maxInputTokens ?? 0)} tokens`],
    [clipped.outputs, 'answer', `clipped to ${countText(maxOutputTokens ?? 0)} tokens`],
    [clipped.raised, 'empty length', 'raised to one token'],
  ] as const;
  const clippedTexts = parts
    .filter(([count]) => count > 0)
    .map(([count, what, how]) => `${plural(count, what)} ${how}`);
  return clippedTexts.join(', ') || 'nothing is clipped';
};

/** Returns sentences on the rows, turns and fields of a prompt file that no request contains. */
const droppedText = ({ file, prompts, dropped }: PromptSourceOf<'dataset'>): readonly string[] => {
  if (dropped === undefined) return [];
  const { rows, firstRow, turns, fields } = dropped;
  const names = Object.entries(fields).map(([name, n]) => `"${name}" (${plural(n, 'row')})`);
  return present([
    rows > 0 &&
      `${file}: ${countText(rows)} of ${plural(rows + prompts, 'row')} are skipped, since they have no question of a user in text; the first is ${firstRow}`,
    turns > 0 &&
      `${file}: the first question of each conversation is sent; ${plural(turns, 'other turn')} are not`,
    names.length > 0 &&
      `${file}: these fields are not sent: ${names.join(', ')}; put fields of the request into "body"`,
  ]);
};

/**
 * Returns sentences on the rows, turns and fields of a plan's prompt files that no request contains; no sentences if
 * requests contain everything.
 */
export const droppedPrompts = ({ stages }: Plan): readonly string[] => {
  const sources = stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((entry) => ('conversations' in entry ? [entry.conversations] : []));
  return [
    ...new Set(
      sources.flatMap((source) =>
        !Array.isArray(source) && source.kind === 'dataset' ? droppedText(source) : [],
      ),
    ),
  ];
};

/**
 * Returns sentences on requests of traces that were left out or changed, and on fields of traces that are not replayed.
 */
export const clippedTraces = ({ stages }: Plan): readonly string[] =>
  stages.flatMap(({ load }) => {
    if (load.kind !== 'trace') return [];
    const { outside, inputs, outputs, raised } = load.facts.clipped;
    const isWhole = outside + inputs + outputs + raised === 0;
    const texts = present([!isWhole && clippedText(load), unreadText(load.facts)]);
    return texts.map((text) => `${load.file}: ${text}`);
  });

/** Returns lines on the needs of each trace of a plan, and on clipped requests; no lines if the plan has no traces. */
export const traceNeeds = (plan: Plan): readonly string[] =>
  plan.stages.flatMap(({ name, load }) => {
    if (load.kind !== 'trace') return [];
    const needs = present([
      spanLine(load),
      traceNeedLine(load.facts),
      limitsLine(plan, load.facts),
      clippedText(load),
      unreadText(load.facts),
    ]);
    return [`${name}: ${traceText(load)}`, ...needs.map((line) => `  ${line}`)];
  });
