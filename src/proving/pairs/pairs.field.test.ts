// @long 160 s
// @alone: its figures need a machine on which nothing else runs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { pairCases } from './pair-cases.ts';
import { percentileWithFailures } from '../../judge/statistics/percentile-with-failures.ts';
import { runPairs } from './run-pairs.ts';

// The first run installs Envoy and LiteLLM's proxy.
vi.setConfig({ testTimeout: 900_000 });

/** What must be said unless the load was not as planned; absent where a short run may see the difference or not. */
const verdicts: Readonly<Record<string, string>> = {
  'same server': 'no difference',
  'delay 20 ms': 'adds',
  HAProxy: 'adds',
};

/** Delays of which the others are like; `main.ts` runs all. */
const shortened = /^delay (0|1|5|exponential 1|exponential 20|bursts \d+) ms$/;

// One after another: the times of two would disturb each other.
it.for(pairCases.filter(({ name }) => !shortened.test(name)))(
  'weir compare --paired prints intervals that hold what tcpdump saw: $name',
  async (paired, context) => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-pairs-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { report, wire, movedP95 } = await orSkip(context, () =>
      runPairs(paired, folder, { seed: 1, rate: 20, seconds: 12 }),
    );
    const [ttft] = report.figures;
    expect(wire.length).toBeGreaterThan(100);
    expect(report.failures).toMatchObject({ nextOnly: 0, baseOnly: 0, both: 0 });
    const seen = [
      [percentileWithFailures(wire, 0.5), ttft!.differences[0]!],
      [percentileWithFailures(wire, 0.95), ttft!.differences[1]!],
      [movedP95, ttft!.shifts[1]!],
    ] as const;
    for (const [truth, { low, high }] of seen) {
      expect(low ?? truth).toBeLessThanOrEqual(truth);
      expect(high ?? truth).toBeGreaterThanOrEqual(truth);
    }
    const isInvalid = [report.base, report.next].some(({ trust }) => trust === 'invalid');
    const expected = verdicts[paired.name];
    if (!isInvalid && expected !== undefined) expect(report.verdict).toBe(expected);
  },
);
