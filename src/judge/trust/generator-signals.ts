import { canaryErrors } from '../../model/result/canary.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { measuredSeconds } from '../../model/result/summary.ts';
import type { TrustSignal, TrustLevel } from '../../model/result/verdict.ts';

const levelOrder: readonly TrustLevel[] = ['valid', 'degraded', 'invalid'];

/** Returns the worst of some levels; `valid` for an empty list. */
export const worstOf = (levels: Iterable<TrustLevel>): TrustLevel =>
  levelOrder[[...levels].reduce((worst, level) => Math.max(worst, levelOrder.indexOf(level)), 0)]!;

const levelAbove = (value: number, degraded: number, invalid: number): TrustLevel => {
  if (value > invalid) return 'invalid';
  return value > degraded ? 'degraded' : 'valid';
};

/**
 * Returns the value by which a percentile is judged: the percentile itself or, with few samples, the lower end of its
 * 95 % confidence interval.
 */
const judgedValueOf = ({ weak, low, value }: Quantile): number => (weak ? (low ?? value) : value);

/**
 * Returns the level of a run: the worst level that at least 5 % of its seconds, and at least three seconds, reach. In a
 * run of fewer than three seconds, all seconds must reach the level. A single invalid second is enough to make the run
 * degraded.
 */
const sustainedLevel = (seconds: readonly TrustLevel[]): TrustLevel => {
  const enough = Math.max(Math.min(3, seconds.length), seconds.length / 20);
  const invalid = seconds.filter((level) => level === 'invalid').length;
  const unhealthy = seconds.filter((level) => level !== 'valid').length;
  if (invalid === 0 && unhealthy < enough) return 'valid';
  return invalid > 0 && invalid >= enough ? 'invalid' : 'degraded';
};

/** Says how many seconds had the worst level, if these seconds were too few to decide the run's level. */
const worstSecondsNote = (seconds: readonly TrustLevel[]): string => {
  const worst = worstOf(seconds);
  if (sustainedLevel(seconds) === worst) return '';
  const worstSeconds = seconds.filter((level) => level === worst).length;
  return ` (${worstSeconds} of ${seconds.length} seconds too high)`;
};

/**
 * Returns the seconds that are judged (`judged`): the measured seconds except the first second of the run, in which
 * code is compiled and connections are opened. If only the first second was measured, it is judged. `unjudged` is the
 * first second if it was measured and is not judged, otherwise `null`.
 */
export const judgedSeconds = <T extends { readonly second: number }>(
  result: Result,
  seconds: readonly T[],
) => {
  const measured = measuredSeconds(result, seconds);
  const later = measured.filter(({ second }) => second >= 1);
  const judged = later.length === 0 ? measured : later;
  return { judged, unjudged: measured.find((second) => !judged.includes(second)) ?? null };
};

interface Signal {
  readonly signal: string;
  readonly expected: string;
  /** Returns the level of a slice; `null` without data. */
  readonly level: (samples: readonly GeneratorSample[]) => TrustLevel | null;
  readonly observed: (samples: readonly GeneratorSample[]) => string;
  /** Explains why a whole slice can be good although its worst second is bad. */
  readonly secondsNote?: (samples: readonly GeneratorSample[]) => string;
  readonly observedIn: (sample: GeneratorSample) => string;
  readonly advice: (samples: readonly GeneratorSample[]) => string;
  /** What a load that saturates the target is expected to show. Under such a load, the signal is not judged. */
  readonly whenSaturating?: string;
}

type Of = (sample: GeneratorSample) => number;
const greatest = (samples: readonly GeneratorSample[], of: Of): number =>
  samples.reduce((most, sample) => Math.max(most, of(sample)), 0);
const mean = (samples: readonly GeneratorSample[], of: Of): number =>
  samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
const roundedText = (value: number): string =>
  Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 6 });

/** Returns whether the event loop waits for a CPU: whether it is busy for more than twice as long as it has a CPU. */
const isStarved = ({ utilisation, cpu }: GeneratorSample): boolean => cpu < utilisation / 2;

/**
 * Judges how busy the event loop is. A loop that is busy for 50 to 90 % of the time counts as degraded only if the loop
 * also uses half a core or waits for a CPU.
 */
const loopLevel = (sample: GeneratorSample): TrustLevel => {
  const level = levelAbove(sample.utilisation, 0.5, 0.9);
  return level === 'degraded' && sample.cpu < 0.5 && !isStarved(sample) ? 'valid' : level;
};

const waitingPerLoop = ({ eventsWaiting, loops }: GeneratorSample): number =>
  eventsWaiting / Math.max(1, loops);

/**
 * Judges how many events wait in the event loop. The number counts only if the loop is busy: an idle loop has few
 * turns, so up to 28 events per turn can wait in it if answers come in bursts.
 */
const queueLevel = (sample: GeneratorSample): TrustLevel => {
  const waiting = waitingPerLoop(sample);
  if (sample.utilisation > 0.9 && (waiting >= 100 || sample.loops < 100)) return 'invalid';
  return sample.utilisation > 0.5 && waiting >= 30 ? 'degraded' : 'valid';
};

/** Returns the share of a second in which the thread waited for a CPU or was throttled by the cgroup. */
const cpuWaitOf = ({ cpuWait, throttled }: GeneratorSample): number =>
  Math.min(1, Math.max(cpuWait ?? 0, (throttled ?? 0) / 1000));

/**
 * A thread normally wakes up for a turn of the event loop within this many seconds. On a virtual machine, waking up
 * takes about 26 µs.
 */
const longestWakeUp = 50e-6;

/**
 * Returns the mean share of a second in which the thread waited for a CPU. The normal time to wake up is subtracted; it
 * is estimated from the second with the shortest wait per turn.
 */
const cpuWaitBeyondWaking = (samples: readonly GeneratorSample[]): number => {
  const wakeUp = Math.min(
    longestWakeUp,
    ...samples.map((sample) => cpuWaitOf(sample) / Math.max(1, sample.loops)),
  );
  return mean(samples, (sample) => Math.max(0, cpuWaitOf(sample) - wakeUp * sample.loops));
};

const canaryP99 = (samples: readonly GeneratorSample[]): Quantile | null =>
  quantile(canaryErrors(samples), 0.99);

const hasCanary = ({ canary }: GeneratorSample): boolean => canary !== undefined && canary !== null;

const canaryLevel = (p99: Quantile): TrustLevel => levelAbove(judgedValueOf(p99), 1, 5);

const maxMissing = 0.05;

const canaryText = (samples: readonly GeneratorSample[]): string => {
  const { count, max, missing } = canaryErrors(samples);
  const p99 = canaryP99(samples);
  if (p99 === null || max === null) return 'no events were read';
  const boundNote =
    canaryLevel(p99) === levelAbove(p99.value, 1, 5)
      ? ''
      : `; too few events for a p99: judged by its lower bound of ${roundedText(judgedValueOf(p99))} ms`;
  const gaps = missing < 0.01 ? '' : `; ${percent(missing)} of them are missing`;
  return `p99 ${roundedText(p99.value)} ms, maximum ${roundedText(max)} ms, over ${count.toLocaleString('en-US')} events${gaps}${boundNote}`;
};

const canaryAdvice = (samples: readonly GeneratorSample[]): string => {
  const p99 = canaryP99(samples);
  return p99 !== null && canaryLevel(p99) !== 'valid'
    ? 'All arrivals are stamped this late, independent of the target. Stop other programs on the machine, lower the rate, or use more workers (if cores are idle) or slices.'
    : 'The time of the missing events is not verified: the process of the self-test streams was delayed, or has ended. Stop other programs on the machine, or give its container more CPU.';
};

/** Creates a signal that judges a run by its seconds. */
const bySeconds = (
  each: (sample: GeneratorSample) => TrustLevel,
): Pick<Signal, 'level' | 'secondsNote'> => ({
  level: (samples) => sustainedLevel(samples.map(each)),
  secondsNote: (samples) => worstSecondsNote(samples.map(each)),
});

const signals: readonly Signal[] = [
  {
    signal: 'event loop',
    expected: 'busy for less than 50 % of each second; above 90 % arrivals are stamped late',
    ...bySeconds(loopLevel),
    observed: (samples) =>
      `busy for ${percent(mean(samples, (each) => each.utilisation))} on average, ${percent(greatest(samples, (each) => each.utilisation))} maximum, using ${percent(mean(samples, (each) => each.cpu))} of a core`,
    observedIn: ({ utilisation, cpu }) =>
      `busy for ${percent(utilisation)}, using ${percent(cpu)} of a core`,
    whenSaturating:
      'a load that saturates the target can use a whole core; above 90 % the load generator can limit the rate, not the target',
    advice: (samples) =>
      samples.filter((sample) => loopLevel(sample) !== 'valid').every(isStarved)
        ? 'The load generator waited for the CPU. Stop other programs on its machine, or give its container more CPU.'
        : 'Use more workers (if cores are idle) or slices, or lower the rate.',
  },
  {
    signal: 'event queue',
    expected: 'few events waiting per loop turn, and more than 100 turns per second when busy',
    ...bySeconds(queueLevel),
    observed: (samples) =>
      `${roundedText(mean(samples, waitingPerLoop))} events waiting per turn on average, ${roundedText(greatest(samples, waitingPerLoop))} maximum; ${roundedText(mean(samples, ({ loops }) => loops))} turns per second`,
    observedIn: (sample) =>
      `${roundedText(waitingPerLoop(sample))} events waiting per turn, ${sample.loops.toLocaleString('en-US')} turns`,
    whenSaturating:
      'events can wait: a load that saturates the target receives more than it can read',
    advice: () => 'Events arrived faster than they were read. Use more workers or slices.',
  },
  {
    signal: 'garbage collection',
    expected: 'pauses up to 2 ms; above 10 ms they are visible in the figures',
    ...bySeconds(({ gcMax }) => levelAbove(gcMax, 2, 10)),
    observed: (samples) =>
      `the longest pause took ${roundedText(greatest(samples, ({ gcMax }) => gcMax))} ms`,
    observedIn: ({ gcMax }) => `the longest pause took ${roundedText(gcMax)} ms`,
    whenSaturating:
      'a load that saturates the target causes much garbage; pauses are visible in latencies',
    advice: () => 'Use more workers (if cores are idle) or slices.',
  },
  {
    signal: 'CPU wait',
    expected: 'less than 1 % of the time, apart from waking up',
    level: (samples) => {
      const known = samples.filter(
        ({ cpuWait, throttled }) => cpuWait !== null || throttled !== null,
      );
      if (known.length === 0) return null;
      return levelAbove(cpuWaitBeyondWaking(known), 0.01, 0.05);
    },
    observed: (samples) =>
      `${percent(mean(samples, cpuWaitOf))} of the time on average, ${percent(greatest(samples, cpuWaitOf))} of the worst second`,
    observedIn: (sample) => percent(cpuWaitOf(sample)),
    advice: () =>
      'Stop other programs on the machine, run the target elsewhere, or raise the container’s CPU quota.',
  },
  {
    signal: 'canary',
    expected: 'events read up to 1 ms late (p99), and at least 95 % of them',
    level: (samples) => {
      if (!samples.some(hasCanary)) return null;
      const p99 = canaryP99(samples);
      if (p99 === null) return 'degraded';
      const level = canaryLevel(p99);
      const hasGaps = canaryErrors(samples).missing > maxMissing;
      return level === 'valid' && hasGaps ? 'degraded' : level;
    },
    observed: canaryText,
    observedIn: (sample) => canaryText([sample]),
    advice: canaryAdvice,
  },
];

/**
 * Returns the signals of the load generator, each from its worst slice. The signals only show possible causes of
 * errors. The thresholds of the signals come from measurements of prototypes of the engine.
 */
export const generatorSignals = (result: Result): readonly TrustSignal[] => {
  const isSaturating = saturateLoadOf(result.plan) !== null;
  const slices = result.slices
    .map((slice) => ({ slice, ...judgedSeconds(result, slice.generator) }))
    .filter(({ judged }) => judged.length > 0);
  return signals.flatMap((signal): TrustSignal[] => {
    const isExpected = isSaturating && signal.whenSaturating !== undefined;
    const levels = slices.map(({ judged }) => (isExpected ? 'valid' : signal.level(judged)));
    const level = worstOf(levels.filter((each) => each !== null));
    const worst = slices[levels.indexOf(level)];
    if (worst === undefined) return [];
    const { slice, judged, unjudged } = worst;
    const where = slice.count === 1 ? '' : `${sliceName(result, slice)}: `;
    const note = isExpected ? '' : (signal.secondsNote?.(judged) ?? '');
    const first =
      unjudged === null ? '' : `; the first second is not judged: ${signal.observedIn(unjudged)}`;
    return [
      {
        signal: signal.signal,
        decides: false,
        level,
        observed: `${where}${signal.observed(judged)}${note}${first}`,
        expected: (isExpected && signal.whenSaturating) || signal.expected,
        advice: level === 'valid' ? null : signal.advice(judged),
      },
    ];
  });
};
