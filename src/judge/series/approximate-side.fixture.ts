import { emptyHistogram } from '../../model/measures/histogram.ts';
import { drawFrom, drawNormal } from '../../model/workload/draw.ts';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSeconds,
} from '../sample-result.fixture.ts';
import { judgeTrust } from '../trust/judge-trust.ts';
import type { Repetition, Side } from './repetition.ts';

/** Test support: runs of chats whose load generator was late by a time in ms, with the judged trust. */
export const approximateSide = (
  name: string,
  {
    late,
    lag = 0.3,
    factor = 1,
    count = 5,
  }: {
    /** The lateness of the reads, and that of the starts. */
    readonly late: number;
    readonly lag?: number;
    readonly factor?: number;
    readonly count?: number;
  },
): Side => {
  const run = (i: number): Repetition => {
    const endToEnd = emptyHistogram();
    const none = emptyHistogram();
    const draw = drawFrom(1, i);
    for (let each = 0; each < 1200; each += 1) {
      endToEnd.record(20 * factor * Math.exp(0.05 * drawNormal(draw)));
      none.record(0);
    }
    const group = sampleGroup(1200, {
      distributions: { endToEnd: endToEnd.toJSON() },
      delays: { end: none.toJSON() },
    });
    const seconds = Array.from({ length: 30 }, () => ({ delayP99: late, delayMax: late }));
    const result = healthyResult({
      slices: [sampleJudgedSlice(sampleSeconds(seconds))],
      lags: seconds.map(() => Array.from({ length: 40 }, () => lag)),
      groups: [group],
    });
    return { file: `${name}/${i + 1}/result.json`, result, trust: judgeTrust(result) };
  };
  const [first, ...others] = Array.from({ length: count }, (_, i) => run(i));
  return { name, repetitions: [first!, ...others] };
};
