import type { Group } from '../../model/measures/counts.ts';
import { drawFrom, drawNormal } from '../../model/workload/draw.ts';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import type { Result } from '../../model/result/result.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import type { Side } from './repetition.ts';

/** Synthetic runs, for tests: streamed chats whose latencies are log-normal, with random variation between runs. */
export interface SampleRun {
  readonly seed: number;
  readonly repetition: number;
  /** The standard deviation of a run's luck, as a share. All its latencies are multiplied by e^(noise z). */
  readonly noise: number;
  /** The factor on all latencies. */
  readonly factor: number;
  readonly requests: number;
  readonly limited: number;
}

const latencies = (run: SampleRun, median: number, spread: number): EncodedHistogram => {
  const luck = drawFrom(run.seed, run.repetition);
  const draw = drawFrom(run.seed, run.repetition, median);
  const middle = median * run.factor * Math.exp(run.noise * drawNormal(luck));
  const histogram = emptyHistogram();
  for (let i = 0; i < run.requests - run.limited; i += 1) {
    histogram.record(middle * Math.exp(spread * drawNormal(draw)));
  }
  return histogram.toJSON();
};

const chats = (run: SampleRun): Group =>
  sampleGroup(run.requests, {
    labels: { traffic: 'chat-stream', model: 'a/b', key: 'main', stage: 'steady', warmUp: false },
    outcomes: {
      ...emptyOutcomeCounts(),
      completed: run.requests - run.limited,
      limited: run.limited,
    },
    connections: { new: 1, reused: 0 },
    distributions: {
      ttft: latencies(run, 200, 0.2),
      tpot: latencies(run, 20, 0.1),
      endToEnd: latencies(run, 1400, 0.15),
    },
  });

/** A run. Any field of its result can be overridden. */
const sampleRun = (differing: Partial<SampleRun> = {}, result: Partial<Result> = {}): Result => {
  const run = {
    seed: 1,
    repetition: 0,
    noise: 0.05,
    factor: 1,
    requests: 240,
    limited: 0,
    ...differing,
  };
  const whole = healthyResult({ lags: [[0.1]], groups: [chats(run)] });
  const { timeline } = whole;
  const completed = run.requests - run.limited;
  const answers = emptyHistogram(2);
  answers.record(1400, completed);
  return {
    ...whole,
    timeline: timeline.map((second) => ({
      ...second,
      outcomes: { ...second.outcomes, completed },
      latency: { ...second.latency, 'chat-stream': { endToEnd: answers.toJSON() } },
      outputTokens: completed * 60,
    })),
    ...result,
  };
};

/** A side with this many healthy runs. */
export const sampleSide = (
  name: string,
  count: number,
  differing: Partial<SampleRun> = {},
  result: Partial<Result> = {},
): Side => {
  const [first, ...others] = Array.from({ length: count }, (_, repetition) => ({
    file: `${name}/${repetition + 1}/result.json`,
    result: sampleRun({ ...differing, repetition }, result),
    trust: { level: 'valid', evidence: [], figures: [] } as const,
  }));
  return { name, repetitions: [first!, ...others] };
};
