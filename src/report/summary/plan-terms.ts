import type { Price } from '../../model/workload/price.ts';
import { interfaceLimits } from '../../model/limits/run-limits.ts';
import type { Budget } from '../../model/plan/budget.ts';
import type { LimitsPerMinute } from '../../model/plan/limits-per-minute.ts';
import type { Pace } from '../../model/plan/pace.ts';
import type { Load, Plan, Stage, Target } from '../../model/plan/plan.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import { plansByTarget } from '../../model/plan/targets.ts';
import type { Population } from '../../model/plan/population.ts';
import { redactedTemplate } from '../../model/plan/secret.ts';
import type { Cancel, HangUpMoment } from '../../model/workload/hang-up.ts';
import { modelOf, type Traffic, type TrafficOf } from '../../model/workload/traffic.ts';
import { countText, moneyText, plural, timeText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { loadText, promptsText, tokenCountText } from './workload-text.ts';

/** Removes the user and the password from an address. */
export const addressText = (url: string): string => url.replace(/^(\w+:\/\/)[^/?#]*@/, '$1');

const openModel =
  'open: requests are sent when they are due, whether or not earlier answers have arrived';
const closedModel = 'closed: a slow gateway receives fewer requests, so latencies hide queueing';

/**
 * The names of load models. The report names the load model, since closed loads answer a different question from open
 * loads.
 */
const loadModel = {
  open: openModel,
  closed: closedModel,
  saturate:
    'closed: each connection sends the next request as soon as the answer arrives, so latencies hide queueing',
  trace: openModel,
  iterations: closedModel,
} as const satisfies Record<Load['kind'], string>;

const targetText = (target: Target): string => {
  if (target.kind === 'url') return addressText(target.url);
  return target.kind === 'mock' ? 'the bundled mock' : 'the bundled mock in a container';
};

/** Formats the target's own paths without their queries, since a query may contain a key. */
const endpointsText = (paths: NonNullable<Plan['wire']['paths']>): string =>
  Object.entries(paths)
    .map(([usual, own]) => `${usual} is ${own.replace(/\?.*$/s, '?…')}`)
    .join(', ');

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

/** Formats a stage's traffic mix in a few words: `80 % chat-stream (m-large), 20 % models`. */
export const trafficMixText = ({ traffic }: Stage): string =>
  traffic
    .map((entry) => {
      const model = modelOf(entry);
      const name = entry.name === undefined ? '' : `“${entry.name}” `;
      return `${shareOf(entry, traffic)} ${name}${entry.kind}${model === null ? '' : ` (${model})`}`;
    })
    .join(', ');

/** Formats the prices of a chat other than the prices of input and output; empty without other prices. */
const otherPrices = (price: Price): string =>
  Object.entries(price)
    .filter(([name]) => name !== 'input' && name !== 'output')
    .map(([name, micros]) => `, ${name} ${micros / 1e6}`)
    .join('');

const chatText = (traffic: TrafficOf<'chat' | 'chat-stream'>): string => {
  const { maxTokens, conversations, body, price } = traffic;
  const most = maxTokens === null ? '' : `, at most ${tokenCountText(maxTokens)}`;
  // The prices in a plan are in millionths of a currency unit.
  const priced =
    price === null
      ? 'no price'
      : `priced ${price.input / 1e6} in and ${price.output / 1e6} out per million tokens${otherPrices(price)}`;
  return `${promptsText(conversations)}${most}${extraFields(body)}, ${priced}`;
};

const speechText = ({ texts, split, voice, format, speed, body }: TrafficOf<'speech'>): string => {
  const what =
    split === undefined
      ? plural(texts.length, 'text')
      : `${plural(texts.length, 'piece')} of at most ${plural(split.characters, 'character')}, in order`;
  const how = [what, `in ${format}`, `voice ${voice}`, speed !== null && `speed ${speed}`];
  return present(how).join(', ') + extraFields(body);
};

const transcriptionText = (traffic: TrafficOf<'transcription'>): string =>
  present([
    `clips from ${[...new Set(traffic.clips.map(({ file }) => file))].join(', ')}`,
    `answers in ${traffic.format}`,
    traffic.language === null ? 'language detected' : `language ${traffic.language}`,
    ...traffic.granularities.map((each) => `${each} timestamps`),
    traffic.oversized && 'oversized files sent',
  ]).join(', ');

const momentText = (moment: HangUpMoment): string => {
  switch (moment.kind) {
    case 'tokens':
      return `after ${plural(moment.count, 'token event')}`;
    case 'time':
      return `${timeText(moment.time)} after sending`;
    case 'sent':
      return 'as soon as they are sent';
    case 'headers':
      return 'with the headers of the answer';
  }
};

const cancelText = ({ share, after }: Cancel): string =>
  `the client hangs up on ${Number((share * 100).toPrecision(3))} % ${momentText(after)}`;

/** Returns a sentence for each entry on whose requests the client hangs up. */
export const hangUpTexts = ({ stages }: Plan): readonly string[] => [
  ...new Set(
    stages.flatMap(({ traffic }) =>
      traffic.flatMap(({ cancel, name, kind }) =>
        cancel === undefined ? [] : `${name ?? kind}: ${cancelText(cancel)}.`,
      ),
    ),
  ),
];

const requestText = (traffic: Traffic): string => {
  const { kind, cancel } = traffic;
  const end = cancel === undefined ? '' : `, ${cancelText(cancel)}`;
  if (kind === 'models') return kind + end;
  const head = `${kind} to ${traffic.model}: `;
  if (kind === 'speech') return head + speechText(traffic) + end;
  const content = kind === 'transcription' ? transcriptionText(traffic) : chatText(traffic);
  return head + content + end;
};

/** Formats a limit. A plan has the limits of the interface unless the scenario declares other limits. */
const limitText = (limit: number | null, interfaceLimit: number, what: string): string | null =>
  limit === null
    ? null
    : `${countText(limit)} ${what}${textIf(limit === interfaceLimit, ' (by the interface)')}`;

const limitsText = ({ limits, keys }: Plan): string => {
  const own = keys.flatMap((key) =>
    key.limits === undefined ? [] : [`${amountsText(key.limits)} for ${key.name}`],
  );
  // If each key has its own limits, the common limits of the plan apply to no key, so they are left out.
  const common = own.length === keys.length ? [] : [amountsText(limits)];
  return [...common, ...own].join('; ');
};

const amountsText = ({ requestsPerMinute, tokensPerMinute }: LimitsPerMinute): string => {
  const parts = present([
    limitText(requestsPerMinute, interfaceLimits.requestsPerMinute, 'requests'),
    limitText(tokensPerMinute, interfaceLimits.tokensPerMinute, 'tokens'),
  ]);
  return parts.length === 0 ? 'none' : `${parts.join(' and ')} per minute and key`;
};

const reuseText = ({ reuse, maxRequestsPerConnection: most }: Plan['wire']): string | false => {
  if (reuse === false) return 'a new connection for each request';
  return typeof most === 'number' && `at most ${plural(most, 'request')} on a connection`;
};

const wireText = (plan: Plan): string => {
  const { wire, transport, workers } = plan;
  const { http2, proxy, caFile, clientCert, verifyTls, connectAhead } = wire;
  const address = proxy.kind === 'url' ? addressText(proxy.url) : 'from the environment';
  const protocol = `${http2 ? 'HTTP/2' : 'HTTP/1.1'} by the transport ${transport}`;
  return present([
    saturateLoadOf(plan) === null ? protocol : 'HTTP/1.1 by autocannon',
    workers === 'auto' && 'as many workers as needed',
    typeof workers === 'number' && workers > 1 && `${workers} workers`,
    proxy.kind === 'none' ? 'direct' : `proxy ${address}`,
    caFile !== null && `certificates from ${caFile}`,
    clientCert !== undefined && `client certificate from ${clientCert}`,
    !verifyTls && 'certificates not verified',
    connectAhead === false && 'no connection opened ahead',
    reuseText(wire),
  ]).join(', ');
};

const deadlinesText = ({ deadlines }: Plan): string => {
  const { connect, firstToken, idle, total } = deadlines;
  return (
    Object.entries({ connect, 'first token': firstToken, idle, total })
      .flatMap(([name, length]) => (length === null ? [] : [`${name} ${timeText(length)}`]))
      .join(', ') || 'none'
  );
};

const retryText = (retry: Plan['retry']): string =>
  retry === null
    ? 'none: a failure is an outcome'
    : `up to ${plural(retry.attempts, 'attempt')} on ${retry.on.join(', ')}; waits as long as the server says, otherwise up to ${timeText(retry.base)}, doubling to ${timeText(retry.cap)}`;

const allowances = ({ requests, tokens, cost }: Budget): readonly string[] =>
  present([
    requests !== null && plural(requests, 'request'),
    tokens !== null && plural(tokens, 'token'),
    cost !== null && `${moneyText(cost)} currency units`,
  ]);

/** Says when a gateway charges tokens: on admission, or at most `settle` ms after the end of an answer. */
export const chargingText = (
  charged: Pace['charged'],
  settle: NonNullable<Pace['settle']>,
): string => {
  const latest = timeText(settle);
  return {
    sent: 'tokens are charged on admission',
    'prompt-sent': `prompts are charged on admission, answers by ${latest} after their end`,
    ended: `tokens are charged by ${latest} after the end of their answer`,
  }[charged];
};

const paceText = ({ pace }: Plan): string => {
  if (pace === null) return 'none: requests are sent when they are due';
  const { requests, tokens, window, margin, settle } = pace;
  const kept = allowances({ requests, tokens, cost: null }).join(' and ');
  return `${kept} per key within any ${timeText(window)}, and ${timeText(margin)} apart for the network${settle === undefined ? '' : `; ${chargingText(pace.charged, settle)}`}`;
};

const streamsMeaning = {
  lenient:
    'without [DONE], a stream is complete when every choice has a finish reason; with it, also without any',
  standard: 'a stream is complete when every choice has a finish reason, or by [DONE] if one has',
  strict: 'without [DONE], or without a finish reason, a stream is malformed',
} as const satisfies Record<Plan['streams'], string>;

const stageTerms = ({ name, load, traffic }: Stage): readonly PlanTerm[] => [
  [`Stage ${name}`, `${loadText(load)}; ${loadModel[load.kind]}`],
  ...traffic.map((entry): PlanTerm => [`${name}, ${shareOf(entry, traffic)}`, requestText(entry)]),
];

const populationTerm = ({ name, after, keys, retry, target }: Population): PlanTerm => [
  `Population ${name}`,
  `${after === 0 ? 'from the start' : `from ${timeText(after)}`}${target === undefined ? '' : ` to ${target}`}; ${keys.length === 1 ? 'key' : 'keys'} ${keys.map((key) => key.name).join(', ')}; retries: ${retryText(retry)}`,
];

type PlanTerm = readonly [term: string, text: string];

/** Returns how requests reach a target, and the common headers of the requests. */
const transportTerms = (plan: Plan): readonly PlanTerm[] => [
  ['Connections', wireText(plan)],
  ...Object.entries(plan.headers).map(([name, template]): PlanTerm => [
    `Header ${name}`,
    redactedTemplate(template),
  ]),
];

const addressTerms = ({ target, wire }: Plan): readonly PlanTerm[] =>
  present<PlanTerm>([
    ['Target', targetText(target)],
    wire.paths !== undefined && ['Endpoints', endpointsText(wire.paths)],
  ]);

/** Lists the targets by name, with the connections and headers of each target. */
const targetTerms = (plan: Plan): readonly PlanTerm[] =>
  plansByTarget(plan).flatMap((own, place) =>
    [...addressTerms(own), ...transportTerms(own)].map(([term, text]): PlanTerm => {
      const { name } = plan.targets![place]!;
      return [term === 'Target' ? `Target ${name}` : `${name}, ${term}`, text];
    }),
  );

const warmUpText = ({ warmUp, autoWarmUp }: Plan): string => {
  if (autoWarmUp === undefined) return warmUp === 0 ? 'none' : timeText(warmUp);
  const { earliest, latest } = autoWarmUp;
  const from = earliest === 0 ? '' : `after ${timeText(earliest)} and `;
  return `found by the run, ${from}within ${timeText(latest)}`;
};

/** Lists the terms of a plan for people. The number of prompts replaces the prompts, and references replace secrets. */
export const planTerms = (plan: Plan): readonly PlanTerm[] =>
  present<PlanTerm>([
    ['Name', plan.name],
    plan.description !== null && ['Description', plan.description],
    ...(plan.targets === undefined ? addressTerms(plan) : targetTerms(plan)),
    ...(plan.populations ?? []).map(populationTerm),
    ...plan.stages.flatMap(stageTerms),
    [
      'Keys',
      plan.keys.map(({ name, template }) => `${name} (${redactedTemplate(template)})`).join(', '),
    ],
    ['Limits', limitsText(plan)],
    ['Warm-up', warmUpText(plan)],
    ['Grace after the last arrival', timeText(plan.grace)],
    ['Maximum in flight', plural(plan.inFlight, 'request')],
    ['Deadlines', deadlinesText(plan)],
    plan.populations === undefined && ['Retries', retryText(plan.retry)],
    ['Pace', paceText(plan)],
    plan.budget !== null && ['Budget', allowances(plan.budget).join(', ') || 'none'],
    ...(plan.targets === undefined ? transportTerms(plan) : []),
    ['Streams', `${plan.streams}: ${streamsMeaning[plan.streams]}`],
    plan.fails !== undefined && [
      'Finish reasons that fail',
      plan.fails.map(({ finish }) => finish).join(', '),
    ],
    ['Seed', String(plan.seed)],
  ]);
