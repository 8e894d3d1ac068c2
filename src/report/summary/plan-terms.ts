import { interfaceLimits } from '../../model/limits/run-limits.ts';
import { loadText } from './load-text.ts';
import type { Budget } from '../../model/plan/budget.ts';
import type { Load, Plan, Stage, Target } from '../../model/plan/plan.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import { redactedTemplate } from '../../model/plan/secret.ts';
import { modelOf, type Price, type Traffic, type TrafficOf } from '../../model/workload/traffic.ts';
import { countText, moneyText, plural, timeText } from '../text/number-text.ts';
import { promptsText, tokenCountText } from './workload-text.ts';

/**
 * The plan as a list for people. Prompts are counted, not shown; a header's value is shown
 * only as its template, and an address without its user and password.
 */

/** A term and its value. */
export interface PlanTerm {
  readonly term: string;
  readonly text: string;
}

/** An address without user information. */
export const addressText = (url: string): string => url.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');

/** Closed loads answer a different question than open ones, so the report must say which it was. */
const loadModel = {
  open: 'open: requests are sent when they are due, whether or not earlier answers have arrived',
  closed: 'closed: a slow gateway receives fewer requests, so latencies hide queueing',
  saturate:
    'closed: each connection sends the next request as soon as the answer arrives, so latencies hide queueing',
  trace: 'open: requests are sent when they are due, whether or not earlier answers have arrived',
  iterations: 'closed: a slow gateway receives fewer requests, so latencies hide queueing',
} as const satisfies Record<Load['kind'], string>;

const targetText = (target: Target): string =>
  target.kind === 'url'
    ? addressText(target.url)
    : `the bundled ${target.kind === 'mock' ? 'mock' : 'mock in a container'}`;

const extraFields = (body: Readonly<Record<string, unknown>>): string => {
  const fields = Object.entries(body).map(([name, value]) =>
    typeof value === 'number' || typeof value === 'boolean' ? `${name} ${value}` : name,
  );
  return fields.length === 0 ? '' : `, also ${fields.join(', ')}`;
};

const shareOf = (traffic: Traffic, mix: readonly Traffic[]): string => {
  const whole = mix.reduce((sum, { weight }) => sum + weight, 0);
  return `${String(Number(((traffic.weight / whole) * 100).toPrecision(3)))} %`;
};

/** A stage's traffic mix in a few words: `80 % chat-stream (m-large), 20 % models`. */
export const trafficMixText = ({ traffic }: Stage): string =>
  traffic
    .map((entry) => {
      const model = modelOf(entry);
      const name = entry.name === undefined ? '' : `“${entry.name}” `;
      return `${shareOf(entry, traffic)} ${name}${entry.kind}${model === null ? '' : ` (${model})`}`;
    })
    .join(', ');

/** A price in units of the currency; plans hold micro-units. */
const priceText = (price: Price | null): string =>
  price === null
    ? 'no price'
    : `priced ${price.input / 1e6} in and ${price.output / 1e6} out per million tokens`;

const chatText = ({
  maxTokens,
  conversations,
  body,
  price,
}: TrafficOf<'chat' | 'chat-stream'>): string => {
  const most = maxTokens === null ? '' : `, at most ${tokenCountText(maxTokens)}`;
  return `${promptsText(conversations)}${most}${extraFields(body)}, ${priceText(price)}`;
};

const speechText = ({ texts, split, voice, format, speed, body }: TrafficOf<'speech'>): string =>
  [
    split === undefined
      ? plural(texts.length, 'text')
      : `${plural(texts.length, 'piece')} of at most ${plural(split.characters, 'character')}, in order`,
    `in ${format}`,
    `voice ${voice}`,
    ...(speed === null ? [] : [`speed ${speed}`]),
  ].join(', ') + extraFields(body);

const transcriptionText = (traffic: TrafficOf<'transcription'>): string =>
  [
    `clips from ${[...new Set(traffic.clips.map(({ file }) => file))].join(', ')}`,
    `answers in ${traffic.format}`,
    traffic.language === null ? 'language detected' : `language ${traffic.language}`,
    ...traffic.granularities.map((each) => `${each} timestamps`),
    ...(traffic.oversized ? ['oversized files sent'] : []),
  ].join(', ');

const contentText = (traffic: Exclude<Traffic, { kind: 'models' }>): string => {
  switch (traffic.kind) {
    case 'chat':
    case 'chat-stream':
      return chatText(traffic);
    case 'speech':
      return speechText(traffic);
    case 'transcription':
      return transcriptionText(traffic);
  }
};

const requestText = (traffic: Traffic): string =>
  traffic.kind === 'models'
    ? traffic.kind
    : `${traffic.kind} to ${traffic.model}: ${contentText(traffic)}`;

/** A plan uses the interface’s limits unless others are declared. */
const limitPart = (limit: number | null, interfaceLimit: number, what: string): string[] =>
  limit === null
    ? []
    : [`${countText(limit)} ${what}${limit === interfaceLimit ? ' (by the interface)' : ''}`];

const limitsText = ({ requestsPerMinute, tokensPerMinute }: Plan['limits']): string => {
  const parts = [
    ...limitPart(requestsPerMinute, interfaceLimits.requestsPerMinute, 'requests'),
    ...limitPart(tokensPerMinute, interfaceLimits.tokensPerMinute, 'tokens'),
  ];
  return parts.length === 0 ? 'none' : `${parts.join(' and ')} per minute and key`;
};

/** Names the transport that was used: with HTTP/2 it is undici. */
const wireText = (plan: Plan): string => {
  const { wire, transport, workers } = plan;
  const { http2, proxy, caFile, verifyTls } = wire;
  return [
    saturateLoadOf(plan) === null
      ? `${http2 ? 'HTTP/2' : 'HTTP/1.1'} by the transport ${transport}`
      : 'HTTP/1.1 by autocannon',
    ...(workers === 1
      ? []
      : [workers === 'auto' ? 'as many workers as needed' : `${workers} workers`]),
    proxy.kind === 'none'
      ? 'direct'
      : `proxy ${proxy.kind === 'url' ? addressText(proxy.url) : 'from the environment'}`,
    ...(caFile === null ? [] : [`certificates from ${caFile}`]),
    ...(verifyTls ? [] : ['certificates not verified']),
  ].join(', ');
};

const deadlinesText = (deadlines: Plan['deadlines']): string => {
  const set = Object.entries({
    connect: deadlines.connect,
    'first token': deadlines.firstToken,
    idle: deadlines.idle,
    total: deadlines.total,
  }).flatMap(([name, length]) => (length === null ? [] : [`${name} ${timeText(length)}`]));
  return set.length === 0 ? 'none' : set.join(', ');
};

const retryText = ({ retry }: Plan): string =>
  retry === null
    ? 'none: a failure is an outcome'
    : `up to ${plural(retry.attempts, 'attempt')} on ${retry.on.join(', ')}; waits as long as the server says, otherwise up to ${timeText(retry.base)}, doubling to ${timeText(retry.cap)}`;

const paceText = ({ pace }: Plan): string => {
  if (pace === null) return 'none: requests are sent when they are due';
  const { requests, tokens, window, margin } = pace;
  const kept = [
    ...(requests === null ? [] : [plural(requests, 'request')]),
    ...(tokens === null ? [] : [plural(tokens, 'token')]),
  ];
  return `${kept.join(' and ')} per key within any ${timeText(window)}, and ${timeText(margin)} apart for the network`;
};

const budgetText = ({ requests, tokens, cost }: Budget): string =>
  [
    ...(requests === null ? [] : [plural(requests, 'request')]),
    ...(tokens === null ? [] : [plural(tokens, 'token')]),
    ...(cost === null ? [] : [`${moneyText(cost)} currency units`]),
  ].join(', ') || 'none';

const streamsMeaning = {
  lenient: 'without [DONE], a stream is complete when every choice has a finish reason',
  strict: 'without [DONE], a stream is malformed',
} as const satisfies Record<Plan['streams'], string>;

/** The whole plan, term by term. */
export const planTerms = (plan: Plan): readonly PlanTerm[] => [
  { term: 'Name', text: plan.name },
  ...(plan.description === null ? [] : [{ term: 'Description', text: plan.description }]),
  { term: 'Target', text: targetText(plan.target) },
  ...plan.stages.flatMap((stage) => [
    {
      term: `Stage ${stage.name}`,
      text: `${loadText(stage.load)}; ${loadModel[stage.load.kind]}`,
    },
    ...stage.traffic.map((entry) => ({
      term: `${stage.name}, ${shareOf(entry, stage.traffic)}`,
      text: requestText(entry),
    })),
  ]),
  {
    term: 'Keys',
    text: plan.keys
      .map(({ name, template }) => `${name} (${redactedTemplate(template)})`)
      .join(', '),
  },
  { term: 'Limits', text: limitsText(plan.limits) },
  { term: 'Warm-up', text: plan.warmUp === 0 ? 'none' : timeText(plan.warmUp) },
  { term: 'Grace after the last arrival', text: timeText(plan.grace) },
  { term: 'Maximum in flight', text: plural(plan.inFlight, 'request') },
  { term: 'Deadlines', text: deadlinesText(plan.deadlines) },
  { term: 'Retries', text: retryText(plan) },
  { term: 'Pace', text: paceText(plan) },
  ...(plan.budget === null ? [] : [{ term: 'Budget', text: budgetText(plan.budget) }]),
  { term: 'Connections', text: wireText(plan) },
  ...Object.entries(plan.headers).map(([name, template]) => ({
    term: `Header ${name}`,
    text: redactedTemplate(template),
  })),
  { term: 'Streams', text: `${plan.streams}: ${streamsMeaning[plan.streams]}` },
  { term: 'Seed', text: String(plan.seed) },
];
