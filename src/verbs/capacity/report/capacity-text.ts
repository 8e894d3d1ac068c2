import { hoursPerMonth } from '../../../report/run/bill.ts';
import { roughMoneyText } from '../../../report/run/bill-blocks.ts';
import {
  type LimitingFactor,
  type CapacityAnswer,
  type CapacityReport,
  type CapacityStep,
  type EstimatedRange,
  nearbyRates,
  provedWidth,
  type ScalabilityFit,
} from '../model/capacity.ts';
import { labelOfServerFigure } from '../../../model/measures/server-figures.ts';
import type { Cell } from '../../../report/document/document.ts';
import { serverValueText } from '../../../report/summary/server-value.ts';
import { countText, figureText, plural, timeText } from '../../../report/text/number-text.ts';
import { present, textIf } from '../../../report/text/present.ts';

const bindingTexts = {
  requests: 'the declared limit of requests per minute',
  tokens: 'the declared limit of tokens per minute',
  refusals: 'refusals (429)',
  concurrency:
    'concurrency: the gateway answers no more requests at a time, and requests in flight grow',
  latency: 'latency: answers arrive too late for the objectives',
  failures: 'failures',
  none: 'nothing: no limit was reached at the rates tried',
} as const satisfies Record<LimitingFactor, string>;

/**
 * Says which limit binds first. A 429 may come from an undeclared limit of the key. It then says nothing about the
 * gateway's capacity.
 */
const bindingText = ({ binding }: CapacityAnswer, { terms }: CapacityReport): string => {
  const undeclared = (['requestsPerMinute', 'tokensPerMinute'] as const).find(
    (limit) => terms[limit] === null,
  );
  return binding === 'refusals' && undeclared !== undefined
    ? `${bindingTexts.refusals}. If they are a limit of the key, declare it and search again: --set limits.${undeclared}=…`
    : bindingTexts[binding];
};

export const perSecondText = (perSecond: number): string => `${figureText(perSecond)}/s`;

const rangeText = ({ low, high }: EstimatedRange): string =>
  `${figureText(low)}–${figureText(high)}/s`;

/** Formats a number of users, rounded down to three digits, since no rate is known more exactly. */
const usersText = (users: number): string => {
  const unit = 10 ** Math.max(0, String(users).length - 3);
  return plural(Math.floor(users / unit) * unit, 'user');
};

/**
 * If the upper end of the interval is more than this many times the lower end, the report names both ends, not one
 * rate.
 */
const widestFigure = 1.5;

/** Whether the answer is only an upper bound, since no step at or below the lower end of the interval was kept. */
const isOnlyBound = (
  { rate, proved, binding }: CapacityAnswer,
  { steps }: CapacityReport,
): boolean =>
  !proved &&
  binding !== 'none' &&
  !steps.some((step) => step.rate <= rate.low && step.verdict === 'kept');

/** Returns the text for a search that found only a range of rates; `null` if the search found a single rate. */
const coarseRange = (answer: CapacityAnswer, report: CapacityReport) => {
  const { rate, proved, binding } = answer;
  const { steps } = report;
  const { low, high } = rate;
  if (proved || binding === 'none') return null;
  // If no step broke, and a step at or above the declared limit was kept, the limit is the answer.
  const isBelowKept = steps.some((step) => step.rate >= high && step.verdict === 'kept');
  if (isBelowKept && !steps.some(({ verdict }) => verdict === 'broken')) return null;
  if (isOnlyBound(answer, report)) return `At most ${perSecondText(high)}, if any`;
  return high > widestFigure * low ? `Between ${rangeText(rate).replace('–', ' and ')}` : null;
};

export const capacityHeadline = (report: CapacityReport): string => {
  const { answer, steps, terms } = report;
  if (answer === null) {
    return steps.some(({ verdict }) => verdict === 'broken')
      ? 'No rate tried keeps the objectives'
      : steps.some(({ verdict }) => verdict === 'unfit')
        ? 'No answer: the load of no step was as planned'
        : 'No answer: no step decided anything';
  }
  const { low, high } = answer.rate;
  const range = coarseRange(answer, report);
  if (range !== null) return `${range}: the search came no closer (90 % interval)`;
  const isOpen = answer.binding === 'none';
  const rateQualifier = !isOpen ? 'Up to ' : low === high ? 'At least ' : 'Probably ';
  const isNarrow = high <= (1 + provedWidth * terms.precision) * low;
  const doubt = isOpen || isNarrow ? ', not proved' : ', wider than requested';
  const sure = textIf(
    low !== high,
    ` (90 % interval ${rangeText(answer.rate)}${textIf(!answer.proved, doubt)})`,
  );
  return `${rateQualifier}${perSecondText(answer.rate.value)}: ${usersText(answer.users)}${sure}`;
};

const keysText = (keys: number | null, limit: number, what: string): string => {
  const each = `${countText(limit)} ${what} a minute each`;
  return keys === null ? `unknown for ${each}` : `${plural(keys, 'key')} for ${each}`;
};

/** These figures of the server show where it is full. Reports name them in this order. */
const queueFigures = ['waiting', 'running', 'cacheUse', 'queueTime'] as const;

const serverText = ({ rate, server = {} }: CapacityStep): string => {
  const found = queueFigures.flatMap((name) => {
    const value = server[name];
    return value === undefined
      ? []
      : [`${serverValueText(name, value)} ${labelOfServerFigure(name).toLowerCase()}`];
  });
  return `at ${perSecondText(rate)} ${found.join(', ')}`;
};

/** From this mean number of waiting requests on, the server’s own queue slows the answers. */
const queueBegins = 1;

/**
 * Explains the mean numbers of waiting requests below and above the highest rate. The text is empty if these numbers
 * explain nothing.
 */
const queueMeaning = (before: number, after: number | undefined): string => {
  if (after === undefined || (after >= queueBegins && after <= before)) return '';
  return after >= queueBegins
    ? ': its own queue grows, so it is full'
    : ': its own queue stays short, so what bends is before it';
};

/**
 * Returns the server's own figures below and above the highest rate, and their meaning; `null` if the server's metrics
 * were not read.
 */
export const serverReason = ({ steps }: CapacityReport): string | null => {
  const reporting = steps.filter(
    ({ server, verdict }) => server !== undefined && verdict !== 'unfit',
  );
  const kept = reporting
    .filter(({ verdict }) => verdict === 'kept')
    .toSorted((a, b) => b.rate - a.rate)[0];
  const broken = reporting
    .filter(({ verdict, rate }) => verdict === 'broken' && rate >= (kept?.rate ?? 0))
    .toSorted((a, b) => a.rate - b.rate)[0];
  const known = present([
    kept !== undefined && serverText(kept),
    broken !== undefined && serverText(broken),
  ]);
  if (known.length === 0) return null;
  const [before, after] = [kept?.server?.['waiting'] ?? 0, broken?.server?.['waiting']];
  return `${known.join('; ')}${queueMeaning(before, after)}`;
};

/**
 * Says how much was measured near the answer, the highest rate that was surely kept, the lowest rate that was surely
 * broken, and how long a rate near the answer was kept.
 */
const sureText = (steps: readonly CapacityStep[], rate: number): string => {
  const near = steps.filter(
    (step) =>
      step.verdict !== 'unfit' && Math.abs(Math.log(step.rate / rate)) < Math.log(nearbyRates),
  );
  const requests = near.reduce((sum, { arrivals }) => sum + arrivals, 0);
  const ratesOf = (verdict: CapacityStep['verdict']): readonly number[] =>
    steps.filter((step) => step.verdict === verdict && step.sure).map((step) => step.rate);
  const [kept, broken] = [ratesOf('kept'), ratesOf('broken')];
  const proved = present([
    kept.length > 0 && `surely kept at ${perSecondText(Math.max(...kept))}`,
    broken.length > 0 && `surely broken at ${perSecondText(Math.min(...broken))}`,
  ]);
  const measured = `${countText(requests)} requests in ${plural(near.length, 'step')} within 15 % of it`;
  const borne = near.filter(({ verdict }) => verdict === 'kept');
  const longest = Math.max(...borne.map(({ seconds, warmUp = seconds }) => seconds + warmUp));
  // A server with CPU credits, or one whose memory fills, bears a rate only for a while, so the text says how long the
  // rate was kept.
  const lasted =
    borne.length === 0
      ? 'none of them was kept'
      : `for at most ${timeText(longest * 1000)} at a time`;
  return [measured, ...proved, ...(near.length === 0 ? [] : [lasted])].join('; ');
};

/** Says how many users the answer allows. If the rate is only an upper bound, so is the number of users. */
const answeredUsers = ({ users, rate }: CapacityAnswer, isBound: boolean): string => {
  const count = isBound ? Math.floor((users * rate.high) / rate.value) : users;
  const words = usersText(count).replace(/ users?$/, '');
  return isBound ? `at most ${words} at ${perSecondText(rate.high)},` : words;
};

export const capacityAnswerRows = (
  answer: CapacityAnswer,
  report: CapacityReport,
): readonly (readonly [name: string, text: string])[] => {
  const { terms } = report;
  const { rate, binding, proved, latency, costPerHour } = answer;
  const server = serverReason(report);
  const range = coarseRange(answer, report);
  const isBound = range !== null && isOnlyBound(answer, report);
  const { requestsPerMinute, tokensPerMinute, thinkTime } = terms;
  const interval = textIf(rate.low !== rate.high, ` (90 % interval ${rangeText(rate)})`);
  const isOpen = binding === 'none' && rate.low === rate.high;
  const precision = proved || isOpen ? '' : '; not proved to the requested precision';
  const average = latency === null ? '' : ` (${timeText(latency)} on average)`;
  const keys = present([
    requestsPerMinute !== null && keysText(answer.keysForRequests, requestsPerMinute, 'requests'),
    tokensPerMinute !== null && keysText(answer.keysForTokens, tokensPerMinute, 'tokens'),
  ]);
  const cost =
    costPerHour === null
      ? 'unknown: the scenario names no price, or the server reported no usage'
      : `${roughMoneyText(costPerHour)} ${report.currency ?? 'currency units'} an hour, ${roughMoneyText(costPerHour * hoursPerMonth)} in 30 days at this rate`;
  return Object.entries({
    'Highest rate':
      range === null
        ? `${perSecondText(rate.value)}${interval}, ${figureText(rate.value * 60)} a minute${precision}`
        : `${range} (90 % interval); the rows below are for ${perSecondText(rate.value)}, the median`,
    'First limit': bindingText(answer, report),
    Because: `${answer.because}.`,
    'How sure': sureText(report.steps, rate.value),
    ...(server === null ? {} : { 'The server says': `${server}.` }),
    Users: `${answeredUsers(answer, isBound)} who think for ${timeText(thinkTime)} between an answer${average} and the next request`,
    Keys: keys.join(', ') || 'the scenario declares no limit',
    Cost: cost,
  });
};

export const scalabilityFitText = (fit: ScalabilityFit): string => {
  const { lambda, sigma, kappa, points, residual, knee } = fit;
  const kneeText =
    knee === null
      ? 'beyond the steps'
      : `at ${perSecondText(knee.rate)} with ${figureText(knee.inFlight)} in flight and ${timeText(knee.latency)} per answer`;
  return `Universal Scalability Law fitted to ${points} kept steps: ${perSecondText(lambda)} for a single request, contention σ ${Number(sigma.toPrecision(2))}, coherence κ ${Number(kappa.toPrecision(2))}, residual ${(residual * 100).toFixed(1)} %. Its knee, the largest throughput divided by latency, is ${kneeText}.`;
};

export const stepVerdicts = {
  kept: { text: 'kept', tone: 'good' },
  broken: { text: 'broken', tone: 'bad' },
  undecided: { text: 'undecided', tone: 'warning' },
  unfit: { text: 'excluded', tone: 'warning' },
} as const satisfies Record<CapacityStep['verdict'], Cell>;

export const capacityStepLine = (step: CapacityStep): string => {
  const { name, rate, throughput, inFlight, latency, verdict, breaches } = step;
  const answers = latency === null ? 'no answer' : `p95 ${timeText(latency.p95)}`;
  const why = breaches[0] === undefined ? '' : `: ${breaches[0].text}`;
  return `${name}: ${perSecondText(rate)} offered, ${perSecondText(throughput)} completed, ${figureText(inFlight)} in flight, ${answers}: ${stepVerdicts[verdict].text}${why}`;
};
