// @long 22 s
import { describe, expect, it, vi } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import {
  backingOff,
  pacedAtAdmission,
  paced,
  scorePace,
  chatWorkloads,
} from './pace-score.fixture.ts';

vi.setConfig({ testTimeout: 60_000 });

const reserving = { accounting: 'reserve-reconcile' } as const;

describe('half an hour of work at 60 requests and 2,000,000 tokens a minute', () => {
  it.each([
    ['requests bind', chatWorkloads.requests, paced, {}],
    ['both bind', chatWorkloads.both, paced, reserving],
    ['both bind, a proxy of LiteLLM’s', chatWorkloads.both, paced, { profile: 'litellm' }],
    [
      'both bind, a sliding log',
      chatWorkloads.both,
      paced,
      { algorithm: 'sliding-log', ...reserving },
    ],
    ['tokens bind', chatWorkloads.tokens, paced, reserving],
    [
      'tokens bind, known to be charged at admission',
      chatWorkloads.longer,
      pacedAtAdmission,
      reserving,
    ],
  ] as const)(
    'takes nearly the best possible time with a pace, without refusals: %s',
    async (...row) => {
      const [, work, client, limiter] = row;
      const score = await scorePace(work, client, limiter);
      expect(score.completed).toBe(work.requests);
      expect(score.refused).toBeLessThan(0.01);
      expect(score.shareOfBest).toBeGreaterThanOrEqual(0.97);
      expect(score.shareOfBest).toBeLessThanOrEqual(1);
    },
  );

  it.each([
    ['after the answer', { accounting: 'after' }, 'ended', 0],
    ['after the answer, 3 s late', { charging: { delay: milliseconds(3000) } }, 'ended', 3000],
    ['prompts on admission', { charging: { promptAt: 'admission' } }, 'prompt-sent', 0],
    ['reserved and corrected', reserving, 'sent', 0],
  ] as const)(
    'is refused no more with what an examination learned of the charges, and is no slower: %s',
    async (_, limiter, charged, settle) => {
      const work = { ...chatWorkloads.longest, requests: 300 };
      const learned = {
        ...paced,
        pace: { ...paced.pace, charged, settle: milliseconds(settle) },
      };
      const [before, after] = [
        await scorePace(work, paced, limiter),
        await scorePace(work, learned, limiter),
      ];
      expect(after.completed).toBe(work.requests);
      expect(after.refused).toBeLessThanOrEqual(before.refused);
      expect(after.refused).toBe(0);
      if (settle === 0) expect(after.duration).toBeLessThanOrEqual(before.duration);
    },
  );

  it('needs far more attempts than requests, and more time, if a client only backs off', async () => {
    const work = { ...chatWorkloads.both, requests: 600 };
    const score = await scorePace(work, backingOff, reserving);
    expect(score.completed).toBe(work.requests);
    expect(score.refused).toBeGreaterThan(0.5);
    expect(score.shareOfBest).toBeLessThan(0.97);
  });
});
