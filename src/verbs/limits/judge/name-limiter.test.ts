import { describe, expect, it } from 'vitest';
import type { LimitLog, ProbeReply, ReportedLimit } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { explainLimiter, nameLimiter, reportedRequests } from './name-limiter.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(10_000);

const limitsOf = (limit: number | null): readonly ReportedLimit[] => [
  { profile: 'x', descriptor: 'api_key', unit: 'requests', limit, remaining: 1, resetIn: null },
];

const logOf = (replies: readonly ProbeReply[], limit = 10): LimitLog => ({
  declared: { requests: { limit, window }, tokens: null, permitted: [] },
  replies,
  unanswered: [],
  cut: null,
});

/** A small chat that is answered after 2 ms. */
const chatAt = (sent: number, admitted: boolean, changes: Partial<ProbeReply> = {}): ProbeReply =>
  sampleReply(sent, {
    phase: 'sustained',
    answered: instant(sent + 2),
    ended: instant(sent + 2),
    admitted,
    status: admitted ? 200 : 429,
    refusal: admitted ? null : { form: 'error', unit: 'requests', resetAt: null, message: '' },
    ...changes,
  });

/**
 * One chat, and from half a window on one every 100 ms, of which a log of the last window admits `limit`. A fixed window
 * would forget them all at 10 s.
 */
const slidingLog = (limit: number): readonly ProbeReply[] => {
  const admitted: number[] = [];
  return [0, ...Array.from({ length: 110 }, (_, i) => 5_000 + i * 100)].map((sent) => {
    const isAdmitted = admitted.filter((at) => at > sent + 1 - window).length < limit;
    if (isAdmitted) admitted.push(sent + 1);
    return chatAt(sent, isAdmitted);
  });
};

describe('the limit that all headers name', () => {
  const reported = (...replies: readonly ProbeReply[]) => reportedRequests(logOf(replies));

  it('is that of the first key, if there is only one', () => {
    expect(
      reported(chatAt(0, true, { told: limitsOf(9) }), chatAt(9, false, { told: limitsOf(9) })),
    ).toBe(9);
    expect(reported(chatAt(0, true), chatAt(9, true, { told: limitsOf(null) }))).toBeNull();
    expect(
      reported(chatAt(0, true, { told: limitsOf(9) }), chatAt(9, true, { told: limitsOf(8) })),
    ).toBeNull();
    expect(
      reported(
        chatAt(0, true, { told: limitsOf(9), key: 'second' }),
        chatAt(9, true, { told: limitsOf(8) }),
      ),
    ).toBe(8);
    expect(reported()).toBeNull();
  });
});

describe('the limiter behind a key', () => {
  it('is the one that decides as the log shows', () => {
    const { best, likelier } = nameLimiter(logOf(slidingLog(10)));
    expect(best).toMatchObject({ limiter: 'sliding-log', wrong: 0 });
    expect(best!.limit).toEqual({ value: 10, least: 10, most: 10 });
    expect(likelier).toEqual([]);
  });

  it('has no name without a refusal, or if chats were refused for tokens', () => {
    const refusedForTokens = chatAt(9, false, {
      refusal: { form: 'error', unit: 'tokens', resetAt: null, message: '' },
    });
    const without = nameLimiter(logOf(slidingLog(10).filter(({ admitted }) => admitted)));
    const beside = nameLimiter(logOf([...slidingLog(10), refusedForTokens]));
    for (const found of [without, beside])
      expect(found).toMatchObject({ best: null, ties: [], runnerUp: null, likelier: [] });
  });

  it('may have another limit, if ten refusals show it', () => {
    const all = slidingLog(12);
    const refused = all.filter(({ admitted }) => !admitted);
    const likelierWith = (refusals: number) => {
      const dropped = new Set(refused.slice(refusals));
      return nameLimiter(logOf(all.filter((reply) => !dropped.has(reply)))).likelier;
    };
    expect(likelierWith(9)).toEqual([]);
    expect(likelierWith(10)[0]).toMatchObject({ limit: { value: 12 }, wrong: 0 });
  });
});

describe('what distinguishes the named limiter', () => {
  it('is in the order of sending, with what each of the two would have decided', () => {
    const log = logOf(slidingLog(10));
    const { rival, distinguishing } = explainLimiter(log, nameLimiter(log));
    expect(rival!.limiter).not.toBe('sliding-log');
    expect(distinguishing.length).toBeGreaterThan(0);
    expect(distinguishing.map(({ sent }) => sent)).toEqual(
      distinguishing.map(({ sent }) => sent).toSorted((a, b) => a - b),
    );
    for (const { observed, named } of distinguishing) expect(named).toBe(observed);
  });

  it('is nothing where none is named', () => {
    const log = logOf([chatAt(0, true)]);
    expect(explainLimiter(log, nameLimiter(log))).toEqual({ rival: null, distinguishing: [] });
  });
});
