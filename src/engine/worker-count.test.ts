import { describe, expect, it } from 'vitest';
import type { Load, Stage } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';
import { constantLoad, fakePlan, usersAtOnce as users } from './fake-run.fixture.ts';
import { peakOf, recommendedWorkers } from './worker-count.ts';
import type { TokenCount } from '../model/workload/token-count.ts';

const streaming = (load: Load, maxTokens: TokenCount | null = 90) => {
  const stream = { kind: 'chat-stream', weight: 1, model: 'm', body: {}, price: null } as const;
  const conversations = [[{ role: 'user' as const, content: 'x' }]];
  const traffic = [{ ...stream, conversations, maxTokens }];
  return fakePlan(load, { stages: [{ name: 'main', load, traffic }] });
};

describe('the recommended number of workers', () => {
  it.each([
    ['a small load', streaming(constantLoad(10, 1000)), 8, 1],
    ['90 chunks and a request of 10, 300 times a second', streaming(constantLoad(300, 1000)), 8, 1],
    ['a little more', streaming(constantLoad(301, 1000)), 8, 2],
    ['ten times as much', streaming(constantLoad(3000, 1000)), 64, 10],
    ['never the last core', streaming(constantLoad(3000, 1000)), 2, 1],
    ['never less than one', streaming(constantLoad(3000, 1000)), 1, 1],
    ['answers of unknown length count as 256', streaming(constantLoad(200, 1000), null), 8, 2],
    ['requests without streams', fakePlan(constantLoad(6001, 1000)), 8, 3],
    ['users, assuming a fast target', streaming(users(1000)), 8, 4],
  ])('%s', (_, plan, cores, workers) => {
    expect(recommendedWorkers(plan, cores)).toBe(workers);
  });
});

describe('the busiest second', () => {
  it.each<[TokenCount, number]>([
    [30, 30],
    [{ kind: 'uniform', min: 20, max: 60 }, 40],
    [{ kind: 'normal', mean: 50, deviation: 9, min: 1, max: 99 }, 50],
    [{ kind: 'lognormal', median: 70, sigma: 0.5, min: 1, max: 999 }, 70],
    [{ kind: 'empirical', values: [10, 20, 60] }, 30],
  ])(
    'of answers with at most %j tokens has a chunk for each, and ten for the request',
    (most, n) => {
      const peak = { requests: 4, chunks: 4 * (n + 10), streams: Math.ceil(4 * (0.1 + 0.01 * n)) };
      expect(peakOf(streaming(constantLoad(4, 1000), most))).toEqual(peak);
    },
  );

  it('of a trace is a sixtieth of its busiest minute, with the mean of its answers', () => {
    const facts = {
      requests: 10,
      inputTokens: 1,
      outputTokens: 500,
      busiestMinute: { requests: 120, inputTokens: 1, outputTokens: 1 },
    };
    const load = { kind: 'trace', facts } as unknown as Load;
    // Answers of 50 tokens last 100 ms and 10 ms for each.
    expect(peakOf(streaming(load))).toEqual({ requests: 2, chunks: 120, streams: 2 });
    expect(peakOf(streaming(load), 4000).streams).toBe(8);
  });

  it('of connections that saturate the target has ten requests on each', () => {
    const load = { kind: 'saturate', connections: 3 } as Load;
    expect(peakOf(streaming(load, 20))).toEqual({ requests: 30, chunks: 900, streams: 3 });
  });

  it('of users has as many as wait for answers and think', () => {
    const load = { ...users(6), thinkTime: milliseconds(500) } as Load;
    expect(peakOf(streaming(load, 30), 1000)).toEqual({ requests: 4, chunks: 160, streams: 6 });
    expect(peakOf(streaming(load, 30)).requests).toBeCloseTo(6 / 0.9, 9);
  });

  it('of a ramp is its highest rate; of a mix, the mean of its entries by weight', () => {
    const [ramp, falling] = [
      [1, 5],
      [7, 2],
    ].map(([from, to]) => ({
      from: perSecond(from!),
      to: perSecond(to!),
      duration: milliseconds(9),
    }));
    const load: Load = { kind: 'open', spacing: 'even', curve: [ramp!, falling!] };
    const plan = streaming(load, 20);
    expect(peakOf(plan).requests).toBe(7);
    const [
      {
        traffic: [stream],
      },
    ] = plan.stages as unknown as [{ traffic: [object] }];
    const mix = [
      { ...stream, weight: 1 },
      { kind: 'models', weight: 3 },
    ] as never;
    expect(peakOf({ stages: [{ name: 'main', load, traffic: mix }] }).chunks).toBe(7 * (5 + 10));
  });

  it('of stages is the busiest one’s, of populations the sum', () => {
    const at = (rate: number, population?: string) =>
      ({ ...streaming(constantLoad(rate, 9)).stages[0]!, population }) as Stage;
    expect(peakOf({ stages: [at(3), at(5), at(4)] }).requests).toBe(5);
    const populations = [{ name: 'a' }, { name: 'b' }] as never;
    const stages = [at(3, 'a'), at(5, 'a'), at(4, 'b')];
    expect(peakOf({ stages, populations }).requests).toBe(9);
  });
});
