import type { DroppedCause } from '../../model/observation/outcome.ts';
import type { BrokenCause } from '../../model/observation/exchange.ts';
import type { Result } from '../../model/result/result.ts';
import { sliceNoun } from '../../model/result/slice-name.ts';
import type { TrustSignal, Trust } from '../../model/result/verdict.ts';
import { generatorSignals } from './generator-signals.ts';
import { worstOf } from './trust-levels.ts';
import { missingSamples } from './missing-samples.ts';
import { judgeStartLag } from './start-lag.ts';

const failuresBy = ({ failures }: Result, cause: DroppedCause | BrokenCause): number =>
  failures
    .filter((failure) => failure.status === null && failure.cause === cause)
    .reduce((sum, { count }) => sum + count, 0);

const arrivalsIn = ({ timeline }: Result): { due: number; begun: number } => ({
  due: timeline.reduce((sum, { due }) => sum + due, 0),
  begun: timeline.reduce((sum, { begun }) => sum + begun, 0),
});

const capReached = (result: Result): TrustSignal | null => {
  const dropped = failuresBy(result, 'saturated');
  if (dropped === 0) return null;
  return {
    signal: 'requests in flight',
    level: 'degraded',
    observed: `${dropped} of ${arrivalsIn(result).due} arrivals were dropped: all ${result.plan.inFlight} places were taken`,
    expected: 'a free place for every arrival',
    advice:
      'Answers took longer than the cap allows for, which is no fault of the generator. Raise inFlight to the rate times the time an answer takes, or lower the rate.',
  };
};

/** Failures on this side of the wire. */
const ownFailures = (
  result: Result,
  cause: BrokenCause,
  words: { readonly signal: string; readonly advice: string },
): TrustSignal | null => {
  const failed = failuresBy(result, cause);
  if (failed === 0) return null;
  const { begun } = arrivalsIn(result);
  return {
    signal: words.signal,
    level: failed > begun / 100 ? 'invalid' : 'degraded',
    observed: `${failed} of ${begun} requests failed on the generator’s side (${cause})`,
    expected: 'none; above 1 % the figures are not the target’s',
    advice: words.advice,
  };
};

/**
 * Seconds of the timeline are counted from each slice's own begin: slices out of step are not one load. The workers
 * of one process are begun by one clock.
 */
const slicesTogether = ({ slices }: Result): TrustSignal | null => {
  if (slices.length < 2 || sliceNoun(slices) === 'worker') return null;
  const begins = slices.map(({ startedAt }) => Date.parse(startedAt));
  const apart = (Math.max(...begins) - Math.min(...begins)) / 1000;
  const level = apart > 1 ? 'degraded' : 'valid';
  return {
    signal: 'begin of the slices',
    level,
    observed: `${apart} s apart`,
    expected: 'all within 1 s',
    advice:
      level === 'valid'
        ? null
        : 'Start all slices at one moment, for example by one timer on machines whose clocks agree.',
  };
};

const present = (evidence: readonly (TrustSignal | null)[]): readonly TrustSignal[] =>
  evidence.filter((each) => each !== null);

/**
 * Whether the generator was healthy enough for its figures to be believed. A slow, limiting or
 * failing target, and a run in which nothing succeeded, are no matter of trust.
 */
export const judgeTrust = (result: Result): Trust => {
  const startLag = judgeStartLag(result);
  const evidence = present([
    startLag.evidence,
    capReached(result),
    ...generatorSignals(result, startLag.later),
    missingSamples(result),
    slicesTogether(result),
    ownFailures(result, 'out-of-sockets', {
      signal: 'sockets',
      advice:
        'Raise the limit of open files (ulimit -n) or the range of local ports, or run on more machines.',
    }),
    ownFailures(result, 'internal', {
      signal: 'faults of Weir',
      advice: 'This is a defect: please report it with the result file.',
    }),
  ]);
  return { level: worstOf(evidence.map(({ level }) => level)), evidence };
};
