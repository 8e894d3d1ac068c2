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
    observed: `${dropped} of ${arrivalsIn(result).due} arrivals were dropped: ${result.plan.inFlight} requests were in flight`,
    expected: 'no dropped arrivals',
    advice:
      'Answers took longer than inFlight allows for, which is not a fault of the load generator. Raise inFlight to the rate times the time of an answer, or lower the rate.',
  };
};

/** Failures of the load generator. */
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
    observed: `${failed} of ${begun} requests failed in the load generator (${cause})`,
    expected: 'none; above 1 % the figures are not those of the target',
    advice: words.advice,
  };
};

/**
 * The timeline counts seconds from the start of each slice, so slices must start together. The workers
 * of one process share a clock.
 */
const slicesTogether = ({ slices }: Result): TrustSignal | null => {
  if (slices.length < 2 || sliceNoun(slices) === 'worker') return null;
  const begins = slices.map(({ startedAt }) => Date.parse(startedAt));
  const apart = (Math.max(...begins) - Math.min(...begins)) / 1000;
  const level = apart > 1 ? 'degraded' : 'valid';
  return {
    signal: 'start of the slices',
    level,
    observed: `${apart} s apart`,
    expected: 'all within 1 s',
    advice:
      level === 'valid'
        ? null
        : 'Start all slices at the same time, for example with timers on machines with synchronized clocks.',
  };
};

const present = (evidence: readonly (TrustSignal | null)[]): readonly TrustSignal[] =>
  evidence.filter((each) => each !== null);

/**
 * Whether the load generator was healthy enough to trust its figures. A slow, limiting or failing
 * target does not matter.
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
        'Raise the limit of open files (ulimit -n) or the range of local ports, or use more machines.',
    }),
    ownFailures(result, 'internal', {
      signal: 'faults of Weir',
      advice: 'This is a bug: please report it with the result file.',
    }),
  ]);
  return { level: worstOf(evidence.map(({ level }) => level)), evidence };
};
