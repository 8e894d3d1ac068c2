// @gate 3 s
import { describe, expect, it } from 'vitest';
import { trueLimiters } from '../../../judge/limits/facts/true-limiters.fixture.ts';
import type { LimitLog, ProbePhase, ProbeReply } from '../../../model/limits/limit-log.ts';
import type { LimiterFit } from '../../../model/limits/limiter-fit.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { judgeLimits } from './judge-limits.ts';
import { sampleReply } from './sample-reply.fixture.ts';

/** What is said of a limit of 8 requests in 4 s, by loads that are made by hand. */

const [limit, window] = [8, 4000];

/** When chats are sent in each phase: evenly, then in bursts that are apart, then above the limit. */
const moments = (sustained: number): readonly (readonly [ProbePhase, number])[] => [
  ...Array.from({ length: 8 }, (_, i) => ['even', i * 700] as const),
  ...Array.from({ length: 16 }, (_, i) => ['provocation', 15_000 + i * 8] as const),
  ...Array.from({ length: 9 }, (_, i) => ['provocation', 15_500 + i * 400] as const),
  ...Array.from({ length: 12 }, (_, i) => ['provocation', 19_300 + i * 8] as const),
  ...Array.from({ length: sustained }, (_, i) => ['sustained', 30_000 + i * 350] as const),
  ...Array.from({ length: 18 }, (_, i) => ['concurrency', 61_700 + i] as const),
  ...Array.from({ length: 3 }, (_, i) => ['concurrency', 62_400 + i * 600] as const),
];

type Decide = (now: number, index: number) => boolean;

const logOf = (
  decide: Decide,
  change: (reply: ProbeReply, index: number) => Partial<ProbeReply> = () => ({}),
  sustained = 24,
): LimitLog => ({
  declared: { requests: { limit, window: milliseconds(window) }, tokens: null, permitted: [] },
  replies: moments(sustained).map(([phase, sent], i) => {
    const admitted = decide(sent + 3, i);
    const answered = instant(sent + 6);
    const status = admitted ? 200 : 429;
    const reply = sampleReply(sent, {
      phase,
      requestId: `r${i}`,
      admitted,
      status,
      answered,
      ended: answered,
    });
    return { ...reply, ...change(reply, i) };
  }),
  unanswered: [],
  cut: null,
});

const fitText = ({ limiter, limit: fitted, window: long, wrong }: LimiterFit): string =>
  `${limiter} ${fitted.value} (${fitted.least} to ${fitted.most}) in ${Math.round(long.value)} (${Math.round(long.least)} to ${Math.round(long.most)}), ${wrong} wrong`;

const said = (log: LimitLog): readonly string[] => {
  const { verdict, reasons, identification, checks } = judgeLimits(log);
  const { best, ties, likelier, runnerUp, ranking } = identification;
  return [
    verdict,
    ...reasons,
    `limiter: ${[best, ...ties].map((fit) => (fit === null ? 'none' : fitText(fit))).join(' or ')}`,
    `likelier: ${likelier.map(fitText).join(' or ')}`,
    `runner-up ${runnerUp?.limiter} ${runnerUp?.wrong}; ${ranking.map((fit) => `${fit.limiter} ${fit.wrong}`).join(', ')}`,
    ...checks
      .filter(({ finding, violates }) => finding === 'refuted' || violates)
      .map(({ id, finding, observed }) => `${id} ${finding}: ${observed}`),
  ];
};

const limiter = (name: string, changes: { limit?: number; window?: number } = {}): Decide =>
  trueLimiters[name]!({ limit, window, tolerance: 0, draws: [0.3, 0.4, 0.5], ...changes });

/** Each refusal locks the key for a window. */
const locking = (): Decide => {
  const own = limiter('a log');
  let until = 0;
  return (now) => {
    const isAdmitted = now >= until && own(now, 0);
    if (!isAdmitted) until = now + window;
    return isAdmitted;
  };
};

/** Two buckets of three, one for each second request. */
const connections = (): Decide => {
  const buckets = [0, 1].map(() => limiter('a bucket of any size', { limit: 4 }));
  return (now, i) => buckets[i % 2]!(now, i);
};

describe('of a load it is said that the limiter is', () => {
  it.each<readonly [string, Decide]>([
    ['half windows', limiter('half windows')],
    ['a log of 7', limiter('a log', { limit: 7 })],
    ['a log of 6 s', limiter('a log', { window: 6000 })],
    ['a counter of 10', limiter('a weighted counter that floors', { limit: 10 })],
    ['a small bucket', limiter('a bucket of any size')],
    ['a lock', locking()],
    ['a bucket of each connection', connections()],
  ])('%s', (_, decide) => {
    expect(said(logOf(decide))).toMatchSnapshot();
  });
});

describe('nothing is decided', () => {
  const log = (change?: (reply: ProbeReply, i: number) => Partial<ProbeReply>): LimitLog =>
    logOf(limiter('a log'), change);
  const why = (judged: LimitLog): readonly string[] => {
    const { verdict, reasons } = judgeLimits(judged);
    return [verdict, ...reasons];
  };

  it('if the examination ended early', () => {
    expect(why({ ...log(), cut: 'stopped' })).toEqual([
      'undecided',
      'the examination ended early: stopped',
    ]);
  });

  it('if more than a fifth of the chats failed', () => {
    const failed = (count: number) =>
      why(log((_, i) => (i % 3 === 0 && i < 3 * count ? { status: 404 } : {})));
    expect([18, 19, 20, 21].map((count) => failed(count)[1])).toMatchSnapshot();
  });

  it('if all was refused for tokens, or requests in flight', () => {
    const named = (unit: 'tokens' | 'in-flight') =>
      why(
        log(({ admitted }) =>
          admitted ? {} : { refusal: { form: 'error', unit, resetAt: null, message: '' } },
        ),
      );
    expect(named('tokens')).toMatchSnapshot('tokens');
    expect(named('in-flight')).toMatchSnapshot('in flight');
  });

  it('if nothing was refused', () => {
    const few = {
      ...log(),
      replies: log()
        .replies.slice(0, 20)
        .filter(({ admitted }) => admitted),
    };
    expect(why(few)).toMatchSnapshot('nothing refused');
    expect(why({ ...few, replies: [] })).toMatchSnapshot('nothing sent');
  });

  it('of refusals that others, or lost requests, can have caused', () => {
    const early = log(({ phase }, i) =>
      phase === 'even' && i === 5 ? { status: 429, admitted: false } : {},
    );
    expect(why(early)).toMatchSnapshot('refused');
    expect(why({ ...early, unanswered: ['chat: lost'] })).toMatchSnapshot('lost');
  });
});
