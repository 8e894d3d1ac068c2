import type {
  LimitingFactor,
  CapacityAnswer,
  CapacityReport,
  CapacityStep,
  EstimatedRange,
  ScalabilityFit,
} from '../../model/series/capacity.ts';
import {
  countText,
  figureText,
  moneyText,
  plural,
  shareText,
  timeText,
} from '../text/number-text.ts';

/** The sentences of a capacity report, the same in every form. */

/** What binds first, as a user says it. */
const bindingTexts = {
  requests: 'the declared limit of requests per minute',
  tokens: 'the declared limit of tokens per minute',
  refusals: 'refusals (429)',
  concurrency: 'concurrency: the gateway answers no more at once, and requests in flight grow',
  latency: 'latency: answers come, but too late for the objectives',
  failures: 'failures',
  none: 'none was reached within the rates that were tried',
} as const satisfies Record<LimitingFactor, string>;

export const perSecondText = (perSecond: number): string => `${figureText(perSecond)}/s`;

const rangeText = ({ low, high }: EstimatedRange): string =>
  `${figureText(low)}–${figureText(high)}/s`;

/** The head of every form. */
export const capacityHeadline = ({ answer, steps }: CapacityReport): string => {
  if (answer === null) {
    return steps.some(({ verdict }) => verdict === 'broken')
      ? 'No rate that was tried keeps the objectives'
      : 'No step counts: nothing can be said';
  }
  const rateQualifier = answer.binding === 'none' ? 'At least ' : 'Up to ';
  return `${rateQualifier}${perSecondText(answer.rate.value)}: ${plural(answer.users, 'user')}`;
};

const intervalOf = ({ rate }: CapacityAnswer): string =>
  rate.low === rate.high ? '' : ` (90 % interval ${rangeText(rate)})`;

const keysText = (keys: number | null, what: string): string =>
  keys === null ? `unknown for ${what}` : `${plural(keys, 'key')} for ${what}`;

/** The answer as rows of a name and what is said of it. */
export const capacityAnswerRows = (
  answer: CapacityAnswer,
  { terms }: CapacityReport,
): readonly (readonly [name: string, text: string])[] => [
  [
    'Highest rate',
    `${perSecondText(answer.rate.value)}${intervalOf(answer)}, ${figureText(answer.rate.value * 60)} a minute${answer.proved || answer.binding === 'none' ? '' : '; not proved as narrowly as was asked'}`,
  ],
  ['Binds first', bindingTexts[answer.binding]],
  ['Because', `${answer.because}.`],
  [
    'Users',
    `${countText(answer.users)} who think ${timeText(terms.thinkTime)} between an answer${answer.latency === null ? '' : `, which takes ${timeText(answer.latency)} on average,`} and the next request`,
  ],
  [
    'Keys',
    [
      ...(terms.requestsPerMinute === null
        ? []
        : [
            keysText(
              answer.keysForRequests,
              `${countText(terms.requestsPerMinute)} requests a minute each`,
            ),
          ]),
      ...(terms.tokensPerMinute === null
        ? []
        : [
            keysText(
              answer.keysForTokens,
              `${countText(terms.tokensPerMinute)} tokens a minute each`,
            ),
          ]),
    ].join(', ') || 'no limit is declared',
  ],
  [
    'Cost',
    answer.costPerHour === null
      ? 'unknown: no price, or no usage was told'
      : `${moneyText(answer.costPerHour)} currency units an hour`,
  ],
];

/** The fitted law in a sentence. */
export const scalabilityFitText = ({
  lambda,
  sigma,
  kappa,
  points,
  residual,
  knee,
}: ScalabilityFit): string =>
  `Universal Scalability Law over ${points} kept steps: ${perSecondText(lambda)} for a request alone, contention σ ${Number(sigma.toPrecision(2))}, coherence κ ${Number(kappa.toPrecision(2))}, residual ${(residual * 100).toFixed(1)} %. ${
    knee === null
      ? 'Its knee, where throughput over latency is largest, lies beyond the steps.'
      : `Its knee, where throughput over latency is largest: ${perSecondText(knee.rate)} with ${figureText(knee.inFlight)} in flight, ${timeText(knee.latency)} an answer.`
  }`;

export const capacityStepCells = (step: CapacityStep): readonly string[] => [
  step.name,
  perSecondText(step.rate),
  countText(step.arrivals),
  `${step.verdict}${step.sure || step.verdict === 'unfit' || step.verdict === 'undecided' ? '' : '?'}`,
  perSecondText(step.throughput),
  figureText(step.inFlight),
  step.latency === null ? '–' : countText(step.latency.p50),
  step.latency === null ? '–' : countText(step.latency.p95),
  step.ttftP95 === null ? '–' : countText(step.ttftP95),
  shareText(Math.round(step.goodput * step.arrivals), step.arrivals),
];

export const capacityStepHead = [
  'step',
  'offered',
  'n',
  'verdict',
  'completed',
  'in flight',
  'p50 ms',
  'p95 ms',
  'TTFT p95',
  'goodput',
] as const;

/** A step as it is told while the search goes on. */
export const capacityStepLine = (step: CapacityStep): string => {
  const { name, rate, throughput, inFlight, latency, verdict, breaches } = step;
  const answers = latency === null ? 'no answer' : `p95 ${timeText(latency.p95)}`;
  const why = breaches[0] === undefined ? '' : `: ${breaches[0].text}`;
  return `${name}: ${perSecondText(rate)} offered, ${perSecondText(throughput)} completed, ${figureText(inFlight)} in flight, ${answers}: ${verdict}${why}`;
};

/** How the answer was found, and what its words mean. */
export const capacityMethodTexts = [
  'Each step is an open load of one constant rate; figures are over its second half, since the first lets the flow become steady. Nothing is paced and nothing is tried again.',
  'A step is kept when requests in flight do not grow (the slope’s 95 % interval, cut for autocorrelation, is not above 2 % of the arrivals) and the objectives hold. A step during which the generator was unfit never counts.',
  'Rates double until a step breaks; then the next rate comes from a Bayesian belief of the threshold (QUEST: Watson & Pelli 1983, with probabilistic bisection as its limit), so that one unlucky verdict is outvoted. Where nothing but a steady flow is asked for, the throughput of overload that stood still counts too.',
  'Users: Little’s law, rate × (latency + think time). The knee is where Kleinrock’s power, throughput over latency, is largest on the fitted law.',
] as const;
