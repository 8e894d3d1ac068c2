import type { LimitLog, ProbeReply } from '../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { judgeLimits } from '../../verbs/limits/judge/judge-limits.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

/** The log of one examination, and what is found in it once one thing was changed. */
export const examinedLog = async (): Promise<LimitLog> => {
  const limits = { requestsPerMinute: 8, window: 4000, algorithm: 'fixed-from-first' as const };
  const simulation = { limits, seed: 4, roundTrip: [5, 20] as const };
  const { log } = await examineSimulatedGateway(simulation, { requests: 8, window: 4000 });
  return log;
};

type Changed = (reply: ProbeReply, index: number) => Partial<ProbeReply> | null;

/** Changes replies; those that become `null` are left out. */
export const altered = (log: LimitLog, change: Changed): LimitLog => ({
  ...log,
  replies: log.replies.flatMap((reply, index) => {
    const changes = change(reply, index);
    return changes === null ? [] : [{ ...reply, ...changes }];
  }),
});

const signs = { proved: '+', refuted: '-', undecided: '?' } as const;

/** The verdict, the limiter, and all claims with what was seen of them. */
export const foundIn = (judged: LimitLog): readonly string[] => {
  const { verdict, reasons, identification, checks } = judgeLimits(judged);
  const { best, ties } = identification;
  const names = [best, ...ties].map((fit) => fit?.limiter ?? 'none').join(' or ');
  return [
    `${verdict}: ${reasons.join('; ')}`,
    `limiter: ${names}`,
    ...checks.map(({ id, finding, observed }) => `${signs[finding]} ${id}: ${observed}`).toSorted(),
  ];
};

/** How many requests of each phase and kind had which status, in their order. */
export const outline = ({ replies }: LimitLog): string => {
  const counts = new Map<string, number>();
  for (const { phase, request, key, status } of replies) {
    const name = `${phase} ${request} ${key} ${status}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join('\n');
};

const refused = { status: 429, admitted: false };
const admitted = { status: 200, admitted: true, refusal: null, retryAfter: null };

/** Changes of which the judge has little to compute. */
export const quickChanges: readonly string[] = [
  'without the second key',
  'with other limits in headers',
  'with a refused second key',
  'with slow answers',
  'with refusals that name tokens',
];

export const changes: Readonly<Record<string, Changed>> = {
  'without a burst': ({ phase }) => (phase === 'provocation' ? null : {}),
  'without the phase counting': ({ phase }) => (phase === 'counting' ? null : {}),
  'without the second key': ({ key }) => (key === 'second' ? null : {}),
  'with a refused second key': ({ key }) => (key === 'second' ? refused : {}),
  'where every fourth request got no answer': (_, i) =>
    i % 4 === 0 ? { status: 0, told: [] } : {},
  'with refusals below the limit': ({ phase, request }, i) =>
    phase === 'counting' && request === 'chat' && i % 5 === 0 ? refused : {},
  'with refusals of server errors': ({ status }) => (status === 429 ? { status: 503 } : {}),
  'where no answer names a limit or a wait, and no 429 has the form of an error': () => ({
    told: [],
    retryAfter: null,
    refusal: null,
  }),
  'with waits of an hour': ({ retryAfter }) =>
    retryAfter === null ? {} : { retryAfter: milliseconds(3_600_000) },
  'with other limits in headers': ({ told }) => ({
    told: told.map((limit) => ({ ...limit, limit: 99, remaining: 98 })),
  }),
  'with refusals that name tokens': ({ refusal }) =>
    refusal === null ? {} : { refusal: { ...refusal, unit: 'tokens' } },
  'with slow answers': ({ answered, ended }) => ({
    answered: instant(answered + 900),
    ended: instant(ended + 900),
  }),
  'with all admitted': ({ status }) => (status === 429 ? admitted : {}),
  'with all but chats giving one back': ({ request, told }) =>
    request === 'chat'
      ? {}
      : { told: told.map((limit) => ({ ...limit, remaining: (limit.remaining ?? 0) + 1 })) },
};
