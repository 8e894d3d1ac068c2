// @long 150 s
import { describe, expect, it } from 'vitest';
import { dependenceOfPercentiles, dependenceOfShare } from './dependence.ts';
import { emptyHistogram } from './histogram.ts';
import { type Process, processes, uniformFrom } from './processes.fixture.ts';
import { quantile, wilsonInterval } from './quantile.ts';

/** How often intervals hold the truth, over many runs of a minute whose truth is known. */

const replications = 1000;
const runLength = 60;

const replicate = (process: Process, q: number, n: number) => {
  const truth = process.truth(q, n / runLength);
  let [claimed, held, falselySure] = [0, 0, 0];
  for (let run = 0; run < replications; run += 1) {
    const seconds = Array.from({ length: runLength }, () => emptyHistogram(2));
    const whole = emptyHistogram(3);
    for (const [due, took] of process.samples(uniformFrom(run * 7919 + n), n, n / runLength)) {
      whole.record(took);
      seconds[Math.floor(due / 1000)]?.record(took);
    }
    const found = quantile(whole, q, dependenceOfPercentiles(seconds)(q));
    if (found === null) continue;
    const { low, high, weak, outer } = found;
    // Bounds of 5 % below the truth, which it breaks, and of 5 % above, which it keeps.
    const keeps = outer.high !== null && outer.high <= truth / 1.05;
    const breaks = outer.low !== null && outer.low > truth * 1.05;
    if (keeps || breaks) falselySure += 1;
    if (weak || low === null || high === null) continue;
    claimed += 1;
    // Three digits are what a histogram keeps.
    if (low <= truth * 1.001 && high >= truth * 0.999) held += 1;
  }
  return { claimed, held, falselySure };
};

describe.each(Object.entries(processes))('of %s', (_, process) => {
  it.each([
    { q: 0.5, n: 1000 },
    { q: 0.95, n: 1000 },
    { q: 0.5, n: 10_000 },
    { q: 0.95, n: 10_000 },
  ])('the interval of quantile $q from $n holds the truth in 90 % at least', ({ q, n }) => {
    const { claimed, held, falselySure } = replicate(process, q, n);
    // Fewer runs are too few for a share.
    if (claimed >= 50) expect(held / claimed).toBeGreaterThanOrEqual(0.9);
    expect(falselySure / replications).toBeLessThanOrEqual(0.02);
  });
});

describe.each([5, 20, 50])('of failures in bursts of %i', (length) => {
  it.each([2000, 10_000])('the interval of their share holds the truth: %i requests', (n) => {
    const share = 0.1;
    let held = 0;
    for (let run = 0; run < replications; run += 1) {
      const draw = uniformFrom(run * 104_729 + n);
      const perSecond = n / runLength;
      const seconds = Array.from({ length: runLength }, () => ({ events: 0, of: 0 }));
      let isFailing = false;
      for (let i = 0; i < n; i += 1) {
        if (i % length === 0) isFailing = draw() < share;
        const second = seconds[Math.floor(i / perSecond)]!;
        second.of += 1;
        if (isFailing) second.events += 1;
      }
      const events = seconds.reduce((sum, second) => sum + second.events, 0);
      const widening = dependenceOfShare(seconds)?.widening ?? 1;
      const { low, high } = wilsonInterval(events / widening, n / widening);
      if (low <= share && share <= high) held += 1;
    }
    expect(held / replications).toBeGreaterThanOrEqual(0.88);
  });
});
