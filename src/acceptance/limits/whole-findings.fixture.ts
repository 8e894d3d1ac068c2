import type { LimitFacts } from '../../model/limits/limit-facts.ts';
import type { LimitCheck, LimitLog, ProbePhase, ProbeReply } from '../../model/limits/limit-log.ts';
import type { Fitted, LimiterFit } from '../../model/limits/limiter-fit.ts';
import { explainLimiter } from '../../verbs/limits/judge/name-limiter.ts';
import type { LimitJudgement } from '../../verbs/limits/model/limit-report.ts';
import type { GatewaySimulation } from '../harness/simulated-gateway.fixture.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/** All that an examination sends and finds, as lines that a reader can compare. */

const rounded = (value: number): number => Number(value.toFixed(1));

const rangeText = ({ value, least, most }: Fitted): string =>
  `${rounded(value)} (${rounded(least)} to ${rounded(most)})`;

const fitText = ({ limiter, limit, window, parameters, wrong }: LimiterFit): string =>
  [
    `${limiter} ${wrong} wrong, ${rangeText(limit)} in ${rangeText(window)}`,
    ...Object.entries(parameters).map(([name, fitted]) => `${name} ${rangeText(fitted)}`),
  ].join(', ');

const signs = { proved: '+', refuted: '-', undecided: '?' } as const;

const checkText = ({ id, finding, violates, section, observed, evidence }: LimitCheck): string =>
  [
    `${signs[finding]}${violates ? '!' : ''} ${id}${section === null ? '' : ` § ${section}`}: ${observed}`,
    ...(finding === 'refuted' ? evidence.slice(0, 2) : []),
  ].join(' | ');

const factLines = ({
  mostAdmitted,
  envelope,
  even,
  idle,
  sustained,
  ...facts
}: LimitFacts): readonly string[] => [
  `most admitted: ${mostAdmitted.least} to ${mostAdmitted.most}, ${facts.overAdmitted}`,
  `envelope: ${envelope.finding}`,
  `bursts: ${facts.burst.bursts.map(({ admitted, allowed, span }) => `${admitted} of ${rounded(allowed)} in ${rounded(span)}`).join(', ')}; ${facts.burst.isExceeded}`,
  `even: ${even.paced}, refused ${even.refusals.length}, seen ${even.seenLimit}`,
  `idle: ${idle.times}, refused ${idle.refusals.length}`,
  sustained === null
    ? 'not sustained'
    : `sustained: ${sustained.admitted} of ${sustained.offered} in ${rounded(sustained.windows)}, spaced ${sustained.spaced}, rate ${rounded(sustained.rate.least)} to ${sustained.rate.most?.toFixed(1)}, low ${sustained.isLow}, short ${sustained.isShort}`,
  `refused with room: ${facts.refusedWithRoom} ${facts.refusalsWithRoom.length}, locked out: ${facts.lockedOut}`,
];

/** What was sent in each phase, with when, in ms after the begin of the phase. */
const courseLines = ({ replies }: LimitLog): readonly string[] => {
  const textOf = ([phase, part]: readonly [string, readonly ProbeReply[]]): string => {
    const begin = part[0]!.sent;
    const statuses = Map.groupBy(part, ({ status }) => status);
    const moments = part.map(({ sent }) => Math.round(sent - begin));
    const some = moments.filter((_, i) => i % Math.ceil(part.length / 6) === 0);
    return `${phase} at ${Math.round(begin)}: ${[...statuses].map(([status, { length }]) => `${length} with ${status}`).join(', ')}; ${some.join(', ')} to ${moments.at(-1)}`;
  };
  return [...Map.groupBy(replies, ({ phase }) => phase)].map(textOf);
};

const explanationLines = (log: LimitLog, { identification }: LimitJudgement): readonly string[] => {
  const { rival, distinguishing } = explainLimiter(log, identification);
  return [
    `rival: ${rival?.limiter}, ${distinguishing.length} distinguish`,
    ...distinguishing
      .slice(0, 2)
      .map(
        ({ requestId, observed, named, rival: other }) =>
          `${requestId}: ${observed}, by ${named} and ${other}`,
      ),
  ];
};

const linesOf = (
  log: LimitLog,
  judgement: LimitJudgement,
  hasClaims: boolean,
): readonly string[] => {
  const { verdict, requests, tokens, reasons, facts, identification, checks } = judgement;
  const { best, ties, runnerUp, likelier, ranking, decisions } = identification;
  return [
    `${verdict}, requests ${requests}: ${reasons.join('; ')}`,
    `tokens ${tokens.verdict}: ${tokens.reasons.join('; ')}`,
    `limiter: ${[best, ...ties].map((fit) => (fit === null ? 'none' : fitText(fit))).join(' or ')}`,
    `then: ${runnerUp?.limiter} ${runnerUp?.wrong} of ${decisions}; likelier: ${likelier.map(fitText).join(' or ')}`,
    `ranking: ${ranking.map(({ limiter, wrong }) => `${limiter} ${wrong}`).join(', ')}`,
    ...explanationLines(log, judgement),
    ...factLines(facts),
    ...courseLines(log),
    ...(log.cut === null ? [] : [`cut: ${log.cut}`]),
    ...checks.map(checkText),
    ...(hasClaims ? checks.map(({ id, claim }) => `${id} is claimed: ${claim}`) : []),
  ];
};

export interface ExaminedGateway {
  readonly limits: GatewaySimulation['limits'];
  readonly more?: Partial<GatewaySimulation>;
  readonly tokens?: number;
  readonly phases?: readonly ProbePhase[];
  /** Whether the findings include the claims. Most gateways have the same claims. */
  readonly hasClaims?: boolean;
}

const rule = { requestsPerMinute: 8, window: 4000 } as const;

/** Examines a limit of 8 requests in 4 s, which takes little computing, and returns what was sent and found. */
export const wholeFindings = async ({
  limits,
  more,
  tokens,
  phases,
  hasClaims = false,
}: ExaminedGateway): Promise<readonly string[]> => {
  const simulation = { limits: { ...rule, ...limits }, seed: 4, roundTrip: [5, 20] as const };
  const { log, judgement } = await examineSimulatedGateway(
    { ...simulation, ...more },
    { requests: rule.requestsPerMinute, window: rule.window, ...(tokens && { tokens }) },
    phases,
  );
  return linesOf(log, judgement, hasClaims);
};
