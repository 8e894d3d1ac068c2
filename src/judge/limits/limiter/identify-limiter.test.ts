// @gate 1 s
import { expect, it } from 'vitest';
import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { drawFrom } from '../../../model/workload/draw.ts';
import { identifyLimiter } from './identify-limiter.ts';

const declared = { limit: 12, window: milliseconds(4000) };
const step = { units: 4, length: 4000 / 3 };

/** Decisions of a bucket that gets four units every third of a window, asked in bursts and then at random; answer number `slow` took 170 ms. */
const steppedBucketLog = (seed: number, slow: number): readonly LimiterDecision[] => {
  const draw = drawFrom(seed, 1);
  const phase = draw.uniform() * step.length;
  let left = declared.limit;
  let filled = 0;
  let sent = 0;
  return Array.from({ length: 90 }, (_, i) => {
    const pause = i % 30 < 14 ? 8 : 190 * Math.ceil(3 * draw.uniform());
    sent += i % 30 === 0 ? 4500 : pause;
    const steps = Math.floor((sent + 0.3 - phase) / step.length);
    left = Math.min(declared.limit, left + (steps - filled) * step.units);
    filled = steps;
    const admitted = left >= 1;
    if (admitted) left -= 1;
    const took = admitted ? 6 : 0.7;
    const answered = instant(sent + (i === slow ? 170 : took));
    return { sent: instant(sent), answered, ended: answered, admitted };
  });
};

it('one slow answer hides no stepped bucket, whose phase can lie between two decisions that are close', () => {
  for (let seed = 5; seed <= 12; seed += 1) {
    const log = steppedBucketLog(seed, 20);
    const { best, ties } = identifyLimiter(log, { declared, clock: null, besides: [[]] });
    const named = [best, ...ties].map((fit) => fit?.limiter);
    expect(named, `seed ${seed}`).toContain('stepped-bucket');
  }
});

/** Decisions of a bucket of 30 that regains 60 in a minute: asked at once, then evenly at twice that rate. */
const smallBucketLog = (): readonly LimiterDecision[] => {
  let left = 30;
  return Array.from({ length: 100 }, (_, i) => {
    const gap = i <= 40 ? 5 : 487;
    left = Math.min(30, left + gap / 1000);
    const admitted = left >= 1;
    if (admitted) left -= 1;
    const sent = Math.min(i, 40) * 5 + Math.max(0, i - 40) * 487;
    const answered = instant(sent + 0.5);
    return { sent: instant(sent), answered, ended: answered, admitted };
  });
};

it('many failed chats do not make a bucket of half the limit a full one', () => {
  const minute = { limit: 60, window: milliseconds(60_000) };
  const terms = { declared: minute, clock: null, besides: [[]], failed: 40 };
  const { best, ties } = identifyLimiter(smallBucketLog(), terms);
  expect(best).toMatchObject({ limiter: 'burst-bucket', parameters: { burst: { value: 30 } } });
  expect(ties.map(({ limiter }) => limiter)).not.toContain('token-bucket');
});
