import { describe, expect, it, vi } from 'vitest';
import { backingOff, informed, paced, scorePace, works } from './score-pace.ts';

vi.setConfig({ testTimeout: 60_000 });

const reserving = { accounting: 'reserve-reconcile' } as const;

describe('half an hour of work at 60 requests and 2,000,000 tokens a minute', () => {
  it.each([
    ['requests bind', works.requests, paced, {}],
    ['both bind', works.both, paced, reserving],
    ['both bind, a proxy of LiteLLM’s', works.both, paced, { profile: 'litellm' }],
    ['both bind, a sliding log', works.both, paced, { algorithm: 'sliding-log', ...reserving }],
    ['tokens bind', works.tokens, paced, reserving],
    ['tokens bind, known to be charged at admission', works.longer, informed, reserving],
  ] as const)('is done by a pace as fast as can be, unrefused: %s', async (...row) => {
    const [, work, client, limiter] = row;
    const score = await scorePace(work, client, limiter);
    expect(score.completed).toBe(work.requests);
    expect(score.refused).toBeLessThan(0.01);
    expect(score.ofBest).toBeGreaterThanOrEqual(0.97);
    expect(score.ofBest).toBeLessThanOrEqual(1);
  });

  it('costs a client that only backs off far more attempts than requests, and more time', async () => {
    const work = { ...works.both, requests: 600 };
    const score = await scorePace(work, backingOff, reserving);
    expect(score.completed).toBe(work.requests);
    expect(score.refused).toBeGreaterThan(0.5);
    expect(score.ofBest).toBeLessThan(0.97);
  });
});
