import type { TimelineSecond } from '../../model/measures/counts.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts, emptySecond } from '../../model/measures/outcome-counts.ts';
import { type Process, uniformFrom } from '../../model/measures/processes.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import type { Side } from './repetition.ts';

/** Test support: whole chats whose durations come from a process. */
interface SimulatedRun {
  readonly seed: number;
  readonly requests: number;
  /** Whole seconds of load. */
  readonly seconds: number;
  /** The factor on all times. */
  readonly factor: number;
}

/** Returns a side of one healthy run. */
export const simulatedSide = (
  name: string,
  process: Process,
  { seed, requests, seconds, factor }: SimulatedRun,
): Side => {
  const whole = emptyHistogram();
  const parts = Array.from({ length: seconds }, () => emptyHistogram(2));
  for (const [due, took] of process.samples(uniformFrom(seed), requests, requests / seconds)) {
    const part = parts[Math.floor(due / 1000)];
    if (part === undefined) continue;
    whole.record(took * factor);
    part.record(took * factor);
  }
  const timeline = parts.map((endToEnd, second): TimelineSecond => {
    const { count } = endToEnd;
    const outcomes = { ...emptyOutcomeCounts(), completed: count };
    const latency = { chat: { endToEnd: endToEnd.toJSON() } };
    return { ...emptySecond(second), due: count, completed: { chat: count }, outcomes, latency };
  });
  const distributions = { endToEnd: whole.toJSON() };
  const result = healthyResult({
    scheduled: milliseconds(seconds * 1000),
    timeline,
    groups: [sampleGroup(whole.count, { distributions })],
  });
  const trust = { level: 'valid', evidence: [], figures: [] } as const;
  return { name, repetitions: [{ file: `${name}/result.json`, result, trust }] };
};
