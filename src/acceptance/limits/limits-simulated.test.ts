// @long 34 s
import { describe, expect, it } from 'vitest';
import { judgeLimits } from '../../verbs/limits/judge/judge-limits.ts';
import type { ProbeReply } from '../../model/limits/limit-log.ts';
import type { LimitJudgement } from '../../verbs/limits/model/limit-report.ts';
import { type MockLimiterClass, mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import { instant } from '../../model/quantity.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';
import { compliantSimulation } from './compliant-simulations.fixture.ts';
import type { GatewaySimulation } from '../harness/simulated-gateway.fixture.ts';

const minute = { requests: 60, window: 60_000 };

const examine = async (
  limits: GatewaySimulation['limits'],
  more: Partial<GatewaySimulation> & { readonly tokens?: number } = {},
): Promise<LimitJudgement> => {
  const { tokens = 2_000_000, ...simulation } = more;
  const { judgement } = await examineSimulatedGateway(
    { limits, seed: 3, roundTrip: [30, 120], ...simulation },
    { ...minute, tokens },
  );
  return judgement;
};

/** A cap on requests in flight keeps no limit of requests. */
const verdictOn = (kind: MockLimiterClass): LimitJudgement['verdict'] =>
  kind === 'in-flight' ? 'violated' : 'kept';

const refuted = ({ checks }: LimitJudgement): readonly string[] =>
  // A fixed window admits more than its limit across its boundary, which is not a violation.
  checks
    .filter(({ finding, id }) => finding === 'refuted' && id !== 'most-admitted')
    .map(({ id }) => id);

const observed = ({ checks }: LimitJudgement, id: string): string =>
  checks.find((check) => check.id === id)?.observed ?? '';

describe('an examination of a simulated gateway', () => {
  it.each(mockLimiterClasses.flatMap((kind) => [0, 1].map((seed) => [kind, seed] as const)))(
    'names a %s and finds no violation (%i)',
    async (kind, seed) => {
      const { simulation, declared } = compliantSimulation(kind, seed);
      const { judgement } = await examineSimulatedGateway(simulation, declared);
      expect(judgement.identification.best?.limiter).toBe(kind);
      expect(judgement.verdict).toBe(verdictOn(kind));
    },
  );

  it.each(mockLimiterClasses)(
    'names a %s, perhaps as a tie, on a machine that pauses every second',
    async (algorithm) => {
      const [requests, window] = [12, 4000];
      const limits = { algorithm, requestsPerMinute: requests, window, steps: 3, burstShare: 0.4 };
      const isCap = algorithm === 'in-flight';
      const { judgement } = await examineSimulatedGateway(
        {
          limits: isCap ? { ...limits, inFlight: 4 } : limits,
          seed: 14,
          roundTrip: [1, 4],
          service: isCap ? 150 : 6,
          pause: 300,
        },
        { requests, window },
        ['counting', 'provocation'],
      );
      const { best, ties } = judgement.identification;
      // A burst of five and a cap of one can decide alike here: a tie, not a name.
      expect([best, ...ties].map((fit) => fit?.limiter)).toContain(algorithm);
      expect(judgement.verdict).not.toBe(algorithm === 'in-flight' ? 'kept' : 'violated');
    },
  );

  it.each(mockLimiterClasses)(
    'finds no violation in a %s of a few requests, within its budget',
    async (kind) => {
      for (const [requests, steps] of [
        [1, 2],
        [2, 4],
        [3, 2],
        [5, 2],
      ] as const) {
        const limits = { algorithm: kind, requestsPerMinute: requests, steps, burstShare: 0.4 };
        const { log, judgement } = await examineSimulatedGateway(
          { limits, seed: 4, roundTrip: [20, 80], service: [20, 2000] },
          { requests, window: 60_000 },
        );
        expect(judgement.verdict).not.toBe(kind === 'in-flight' ? 'kept' : 'violated');
        expect(log.cut).toBeNull();
      }
    },
  );

  it('finds the specification’s own gateway compliant', async () => {
    const judgement = await examine({ profile: 'spec' });
    expect(refuted(judgement)).toStrictEqual([]);
    expect(judgement.verdict).toBe('kept');
    expect(judgement.identification.best?.limiter).toBe('fixed-from-first');
    expect(judgement.identification.runnerUp!.wrong).toBeGreaterThan(5);
  });

  it('reports where LiteLLM’s proxy differs from the specification', async () => {
    const judgement = await examine({ profile: 'litellm' });
    expect(judgement.identification.best?.limiter).toBe('fixed-from-first');
    expect(refuted(judgement)).toStrictEqual(['headers-present', 'retry-after', 'reset-time']);
    expect(observed(judgement, 'headers-present')).toMatch(/429$/);
    expect(observed(judgement, 'retry-after')).toMatch(/^always 60 s/);
    expect(observed(judgement, 'reset-time')).toMatch(/conservative.*up to (59|6\d) s/);
    expect(observed(judgement, 'counts-models')).toBe('it cost 0 requests');
    expect(judgement.verdict).toBe('kept');
  });

  it.each([
    [
      'tokens that outlive their window',
      { bugs: ['staleTokenCounter'], tokensPerMinute: 500, body: 'key' },
      { tokens: 500 },
      'refusal-names-limit',
      true,
    ],
    [
      'refusals of the cap in flight that count',
      { bugs: ['inFlightRefusalsCount'], inFlight: 5 },
      {},
      'cap-refusals-free',
      false,
    ],
    ['{"detail"} on speech', { bugs: ['detailOnSpeech'] }, {}, 'refusal-body', false],
    [
      'a reset that is always a window away',
      { bugs: ['resetFromNow'], body: 'key' },
      {},
      'reset-time',
      false,
    ],
    ['local time labelled UTC', { bugs: ['localTimeAsUtc'], body: 'key' }, {}, 'reset-time', false],
    ['lost updates', { bugs: ['lostUpdates'] }, {}, 'remaining-no-lost-updates', true],
    ['lost updates in a burst', { bugs: ['lostUpdates'] }, {}, 'burst', true],
    ['a Retry-After of half the right time', { retryAfter: 'wrong' }, {}, 'retry-after', false],
    ['no Retry-After', { retryAfter: 'none' }, {}, 'retry-after', false],
    [
      'no headers on speech',
      { headersOn: ['chat', 'limited', 'refused'] },
      {},
      'headers-present',
      false,
    ],
    ['tokens reserved for good', { accounting: 'reserve' }, {}, 'token-accounting', false],
    ['a limit of 50', { requestsPerMinute: 50 }, {}, 'even-pace', true],
    ['a limit of 66', { requestsPerMinute: 66 }, {}, 'burst', true],
    ['a limit of 100', { requestsPerMinute: 100 }, {}, 'burst', true],
    ['no limit at all', { requestsPerMinute: null }, {}, 'over-admission', true],
    ['one counter for all keys', {}, { isSharedLimit: true }, 'key-isolation', true],
  ] as const)('flags %s', async (...row) => {
    const [, limits, more, id, violates] = row;
    const judgement = await examine(limits as GatewaySimulation['limits'], more);
    expect(refuted(judgement)).toContain(id);
    expect(judgement.verdict).toBe(violates ? 'violated' : 'kept');
  });

  it('proves that two workers have separate counters', async () => {
    const judgement = await examine({ workers: 2 });
    expect(judgement.verdict).toBe('violated');
    expect(observed(judgement, 'burst')).toMatch(/^admitted: 120 within/);
    expect(refuted(judgement)).toContain('remaining-one-counter');
    expect(judgement.checks.find(({ id }) => id === 'no-hidden-spender')?.finding).toBe(
      'undecided',
    );
  });

  it('proves it even if their windows start at different times and no single limiter explains the answers', async () => {
    const limits = { workers: 2, requestsPerMinute: 12, window: 1500 };
    for (let seed = 0; seed < 20; seed += 1) {
      const { judgement } = await examineSimulatedGateway(
        { limits, seed, roundTrip: [1, 4], service: 6, pause: 200 },
        { requests: 12, window: 1500 },
      );
      expect(judgement.verdict).toBe('violated');
    }
  });

  it('detects that another client uses the key, and finds no violation', async () => {
    const judgement = await examine({ hiddenRequests: 12 });
    expect(refuted(judgement)).toContain('no-hidden-spender');
    expect(judgement.verdict).not.toBe('violated');
  });

  it('finds no violation if some chats fail, and ends early if all do', async () => {
    for (const seed of [1, 2, 3]) {
      const judgement = await examine({ profile: 'spec' }, { failureShare: 0.1, seed });
      expect(judgement.verdict).toBe('kept');
    }
    const { log, judgement } = await examineSimulatedGateway(
      { limits: {}, seed: 1, roundTrip: [30, 120], failureShare: 1 },
      minute,
    );
    expect(log.cut).toBe('3 small chats in a row failed, the last with status 500');
    expect(judgement.verdict).toBe('undecided');
  });

  it('finds no violation if refusals that name no limit may be for tokens', async () => {
    const { log } = await examineSimulatedGateway(
      { limits: { tokensPerMinute: 200 }, seed: 1, roundTrip: [20, 80] },
      { ...minute, tokens: 200 },
    );
    const unnamed = log.replies.map((reply) =>
      reply.refusal === null ? reply : { ...reply, refusal: { ...reply.refusal, unit: null } },
    );
    expect(judgeLimits({ ...log, replies: unnamed }).verdict).toBe('undecided');
    const declared = { ...log.declared, tokens: null };
    expect(judgeLimits({ ...log, declared, replies: unnamed }).verdict).toBe('violated');
  });

  it('flags streams that are not limited, and another key that is slowed down', async () => {
    const { log, judgement } = await examineSimulatedGateway(
      { limits: {}, seed: 3, roundTrip: [30, 120] },
      minute,
    );
    const found = (id: string) => judgement.checks.find((check) => check.id === id)?.finding;
    expect([found('streams-limited'), found('key-latency')]).toStrictEqual(['proved', 'proved']);
    const streamed = log.replies.findIndex(({ request }) => request === 'chat-stream');
    const replies = log.replies.map((reply, i): ProbeReply => {
      const { phase, key, request, answered } = reply;
      const isStream = phase === 'exhausted' && request === 'chat-stream';
      if (isStream) return { ...reply, status: 200, admitted: true, refusal: null };
      if (key === 'second') return { ...reply, answered: instant(answered + 500) };
      if (i === streamed) return { ...reply, usage: null };
      if (phase !== 'counting' || i < streamed) return reply;
      const oneMore = reply.told.map((limit) => ({ ...limit, remaining: limit.remaining! + 1 }));
      return { ...reply, told: oneMore };
    });
    const flagged = judgeLimits({ ...log, replies });
    expect(refuted(flagged)).toEqual(expect.arrayContaining(['streams-limited', 'key-latency']));
    expect(flagged.verdict).toBe('violated');
    const letIn = replies.map((reply) =>
      reply.phase === 'counting'
        ? log.replies.find(({ requestId }) => requestId === reply.requestId)!
        : reply,
    );
    expect(judgeLimits({ ...log, replies: letIn }).verdict).toBe('kept');
  });

  it('determines which requests count, and how tokens are charged', async () => {
    const judgement = await examine({});
    expect(observed(judgement, 'counts-wrong-key')).toBe('it cost 0 requests');
    expect(observed(judgement, 'counts-bad-parameter')).toBe('it cost 1 request');
    expect(observed(judgement, 'counts-abandoned-early')).toBe('it cost 1 request');
    expect(observed(judgement, 'token-accounting')).toMatch(/^charged: the tokens used/);
  });
});
