import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import {
  type Batching,
  batchingPresets,
  batchingSchema,
} from '../../model/gateway/mock-latency.ts';
import { manualMockClock } from '../clock/manual-mock-clock.fixture.ts';
import { type BatchJob, BatchServer } from './batch-server.ts';
import { saturationRate, type RequestSize } from './saturation-rate.fixture.ts';

/** Prefill 10 + 1 for each prompt token; a step 4, 1 more for each request, 1 more for each 1,000 tokens in the batch. */
const tiny = batchingSchema.parse({
  batch: 2,
  overhead: 10,
  perPromptToken: 1,
  step: 4,
  stepPerRequest: 1,
  stepPerThousandTokens: 0,
});

const bench = (batching: Batching) => {
  const clock = manualMockClock(0);
  const server = new BatchServer(batching, 1, clock);
  /** Asks at once; its tokens' instants appear in the returned list. */
  const ask = (job: Partial<BatchJob> = {}) => {
    const instants: number[] = [];
    const cancel = server.serve(
      { promptTokens: 5, uncached: 5, steps: 3, ...job },
      {
        emit: (from, to, at) => {
          // Plainly: an `expect` for each of 100,000 tokens takes longer than the server.
          if (from !== instants.length) throw new Error(`token ${from} after ${instants.length}`);
          for (let step = from; step < to; step += 1) instants.push(at.dueOf(step));
        },
      },
    );
    return { instants, cancel };
  };
  return { clock, ask };
};

describe('a server with continuous batching', () => {
  it('reads a prompt, emits its first token, then one more with each step', () => {
    const { clock, ask } = bench(tiny);
    const { instants } = ask();
    clock.advance(1000);
    expect(instants).toEqual([15, 20, 25]);
  });

  it('admits waiting requests before it continues, and makes others wait for a place', () => {
    const { clock, ask } = bench(tiny);
    const [a, b, c] = [ask(), ask(), ask()];
    clock.advance(1000);
    // a is read until 15, b until 30; two steps of 4 + 2 for both; then c alone.
    expect([a.instants, b.instants, c.instants]).toEqual([
      [15, 36, 42],
      [30, 36, 42],
      [57, 62, 67],
    ]);
  });

  it('frees the place of a client that disconnects at once', () => {
    const { clock, ask } = bench(tiny);
    const [a, b, c] = [ask({ steps: 1000 }), ask({ steps: 1000 }), ask()];
    clock.advance(37);
    a.cancel();
    clock.advance(20);
    expect(a.instants).toEqual([15, 36]);
    expect(b.instants).toEqual([30, 36, 42]);
    expect(c.instants).toEqual([57]);
    b.cancel();
    clock.advance(1000);
    expect(b.instants).toEqual([30, 36, 42]);
    expect(c.instants).toHaveLength(3);
  });

  it('forgets a waiting client that disconnects', () => {
    const { clock, ask } = bench({ ...tiny, batch: 1 });
    const [a, b, c] = [ask(), ask(), ask()];
    b.cancel();
    clock.advance(1000);
    expect([a.instants, b.instants, c.instants]).toEqual([[15, 20, 25], [], [40, 45, 50]]);
  });

  it('is slower with a larger context, and does not read cached tokens', () => {
    const { clock, ask } = bench({ ...tiny, stepPerThousandTokens: tiny.step });
    const { instants } = ask({ promptTokens: 999, uncached: 0 });
    clock.advance(1000);
    expect(instants).toEqual([10, 19, expect.closeTo(28.004, 9)]);
  });

  it('emits several tokens in a chunk, but the first alone and the last ones without delay', () => {
    const { clock, ask } = bench({ ...tiny, tokensPerChunk: 3 });
    const { instants } = ask({ steps: 6 });
    clock.advance(29);
    expect(instants).toEqual([15]);
    clock.advance(1);
    expect(instants).toEqual([15, 20, 25, 30]);
    clock.advance(10);
    expect(instants).toEqual([15, 20, 25, 30, 35, 40]);
  });

  it('continues from the due times, however late it wakes', () => {
    const clock = manualMockClock(0);
    const late = {
      ...clock,
      at: (due: number, run: () => void) => clock.at(Math.max(due, clock.now()) + 100, run),
    };
    const instants: number[] = [];
    new BatchServer(tiny, 1, late).serve(
      { promptTokens: 5, uncached: 5, steps: 3 },
      { emit: (from, _, at) => instants.push(at.dueOf(from)) },
    );
    clock.advance(10_000);
    expect(instants).toEqual([15, 20, 25]);
  });
});

describe.each(['small', 'medium', 'large'] as const)('the %s preset', (name) => {
  const batching = batchingPresets[name];
  const workload: RequestSize = { promptTokens: 200, outputTokens: 50 };

  /** Answers per second and mean time to first token under arrivals at random instants. */
  const load = (rate: number, seconds: number) => {
    const { clock, ask } = bench(batching);
    const draw = drawFrom(7, Math.round(rate * 1000));
    const asked: { readonly at: number; readonly instants: readonly number[] }[] = [];
    let at = 0;
    while (at < seconds * 1000) {
      clock.advance(at - clock.now());
      const { instants } = ask({
        promptTokens: workload.promptTokens,
        uncached: workload.promptTokens,
        steps: workload.outputTokens,
      });
      asked.push({ at: clock.now(), instants });
      at += (-Math.log(1 - draw.uniform()) * 1000) / rate;
    }
    clock.advance(seconds * 1000 - clock.now());
    const done = asked.filter(({ instants }) => instants.length === workload.outputTokens);
    const waits = done.map((each) => each.instants[0]! - each.at);
    return {
      throughput: done.length / seconds,
      wait: waits.reduce((sum, wait) => sum + wait, 0) / waits.length,
    };
  };

  it('completes the share of a backlog that follows from its figures', () => {
    const { clock, ask } = bench(batching);
    const job = { promptTokens: 200, uncached: 200, steps: 50 };
    const asked = Array.from({ length: batching.batch * 6 }, () => ask(job));
    clock.advance(3_600_000);
    const ends = asked.map(({ instants }) => instants.at(-1)!).toSorted((x, y) => x - y);
    // From the end of the first full batch to that of the last one.
    const begin = ends[batching.batch - 1]!;
    const throughput = (batching.batch * 5 * 1000) / (ends.at(-1)! - begin);
    expect(throughput / saturationRate(batching, workload)).toBeCloseTo(1, 1.5);
  });

  it('sustains rates below its saturation, and queues requests above it', () => {
    const most = saturationRate(batching, workload);
    const seconds = (batching.batch * 10) / most;
    const below = load(most * 0.6, seconds);
    const above = load(most * 2, seconds);
    expect(below.throughput / most).toBeGreaterThan(0.45);
    expect(above.throughput / most).toBeLessThan(1.01);
    expect(above.throughput / most).toBeGreaterThan(0.85);
    // The knee: beyond it requests wait for others, not for their own prompt.
    expect(above.wait).toBeGreaterThan(5 * below.wait);
  });
});
