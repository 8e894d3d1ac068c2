import { canaryPhaseCount } from '../../model/result/canary-timing.ts';
import { canaryErrors } from '../../model/result/canary.ts';
import { saturateLoadOf } from '../../model/plan/plan.ts';
import { type Quantile, quantile } from '../../model/measures/quantile.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import type { TrustSignal, TrustLevel } from '../../model/result/verdict.ts';
import { judgedSeconds } from './judged-seconds.ts';
import {
  judgedValueOf,
  levelAbove,
  worstSecondsNote,
  sustainedLevel,
  worstOf,
} from './trust-levels.ts';

/** How one signal of a slice's samples is judged and told. */
interface Signal {
  readonly signal: string;
  readonly expected: string;
  /** The level of a slice over all its judged seconds; `null` where the samples do not tell. */
  readonly level: (samples: readonly GeneratorSample[], lag: TrustLevel) => TrustLevel | null;
  readonly observed: (samples: readonly GeneratorSample[]) => string;
  /** Why its level is not that of its worst second, where it is judged second by second. */
  readonly secondsNote?: (samples: readonly GeneratorSample[]) => string;
  /** The same of one second alone. */
  readonly observedIn: (sample: GeneratorSample) => string;
  readonly advice: (samples: readonly GeneratorSample[]) => string;
  /** What is expected instead of a load that runs flat out by design; absent where it is judged like any other. */
  readonly whenSaturating?: string;
}

type Of = (sample: GeneratorSample) => number;
const greatest = (samples: readonly GeneratorSample[], of: Of): number =>
  samples.reduce((most, sample) => Math.max(most, of(sample)), 0);
const mean = (samples: readonly GeneratorSample[], of: Of): number =>
  samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
const percent = (share: number): string => `${Number((share * 100).toPrecision(2))} %`;
const rounded = (value: number): string =>
  Number(value.toPrecision(2)).toLocaleString('en-US', { maximumFractionDigits: 6 });

/** Wanting a CPU and not getting it: the loop is busy for twice the CPU time that it gets. */
const isStarved = ({ utilisation, cpu }: GeneratorSample): boolean => cpu < utilisation / 2;

/**
 * Utilisation alone says only that the loop was not idle, CPU alone only that something computed: a
 * loop between half and nine tenths busy counts when it had half a core's work, or starved.
 */
const loopLevel = (sample: GeneratorSample): TrustLevel => {
  const level = levelAbove(sample.utilisation, 0.5, 0.9);
  return level === 'degraded' && sample.cpu < 0.5 && !isStarved(sample) ? 'valid' : level;
};

const waitingPerLoop = ({ eventsWaiting, loops }: GeneratorSample): number =>
  eventsWaiting / Math.max(1, loops);

/** Bursty servers leave up to 28 events waiting per turn of a healthy loop, and an idle loop hardly turns: a queue counts with utilisation only. */
const queueLevel = (sample: GeneratorSample): TrustLevel => {
  const waiting = waitingPerLoop(sample);
  if (sample.utilisation > 0.9 && (waiting >= 100 || sample.loops < 100)) return 'invalid';
  return sample.utilisation > 0.5 && waiting >= 30 ? 'degraded' : 'valid';
};

/** A throttled process wants a CPU as much as one that stands in the queue for it. */
const cpuWaitOf = ({ cpuWait, throttled }: GeneratorSample): number =>
  Math.min(1, Math.max(cpuWait ?? 0, (throttled ?? 0) / 1000));

/** What comes in one beat waits together, and is one witness: only so is the interval of the p99 true. */
const canaryP99 = (samples: readonly GeneratorSample[]): Quantile | null => {
  const { count, streams, atRank } = canaryErrors(samples);
  const beat = Math.max(1, streams / canaryPhaseCount);
  return quantile(
    {
      count: Math.ceil(count / beat),
      atRank: (rank) => atRank(Math.min(count, Math.ceil(rank * beat))),
    },
    0.99,
  );
};

const hasCanary = ({ canary }: GeneratorSample): boolean => canary !== undefined && canary !== null;

const canaryLevel = (p99: Quantile): TrustLevel => levelAbove(judgedValueOf(p99), 1, 5);

/** The share of a canary's events that may be missing; no judgement stands on less than the rest. */
const maxMissing = 0.05;

const canaryText = (samples: readonly GeneratorSample[]): string => {
  const errors = canaryErrors(samples);
  const { count, max, missing } = errors;
  const p99 = canaryP99(samples);
  const ofEvents = quantile(errors, 0.99);
  if (p99 === null || ofEvents === null || max === null) return 'not one event was read';
  const boundNote =
    canaryLevel(p99) === levelAbove(ofEvents.value, 1, 5)
      ? ''
      : `; they come in beats, too few for a p99: judged by its lower bound of ${rounded(judgedValueOf(p99))} ms`;
  const gaps = missing < 0.01 ? '' : `; ${percent(missing)} of them are missing`;
  return `p99 ${rounded(ofEvents.value)} ms, at most ${rounded(max)} ms, over ${count.toLocaleString('en-US')} events${gaps}${boundNote}`;
};

/** What to do about a canary that was heard too late, or not often enough. */
const canaryAdvice = (samples: readonly GeneratorSample[]): string => {
  const p99 = canaryP99(samples);
  return p99 !== null && canaryLevel(p99) !== 'valid'
    ? 'What arrives is stamped this late, whatever the target does: stop what else runs on the machine, lower the rate, or share the run among more workers (where cores are idle) or slices.'
    : 'For the time of the missing events the canary cannot vouch: its own process was held up, or has ended. Stop what else runs on the machine, or give its container more CPU.';
};

/** Judges each second by itself, and a run by how many of them are strained. */
const bySeconds = (
  each: (sample: GeneratorSample) => TrustLevel,
): Pick<Signal, 'level' | 'secondsNote'> => ({
  level: (samples) => sustainedLevel(samples.map(each)),
  secondsNote: (samples) => worstSecondsNote(samples.map(each)),
});

const signals: readonly Signal[] = [
  {
    signal: 'event loop',
    expected: 'busy for less than 50 % of a second; above 90 % what it reads is stamped late',
    ...bySeconds(loopLevel),
    observed: (samples) =>
      `busy for ${percent(mean(samples, (each) => each.utilisation))} on average, ${percent(greatest(samples, (each) => each.utilisation))} at most, using ${percent(mean(samples, (each) => each.cpu))} of a core`,
    observedIn: ({ utilisation, cpu }) =>
      `busy for ${percent(utilisation)}, using ${percent(cpu)} of a core`,
    whenSaturating:
      'a load that runs flat out may take a whole core; above 90 % the generator may be what limits the rate, and the target can do more',
    advice: (samples) =>
      samples.filter((sample) => loopLevel(sample) !== 'valid').every(isStarved)
        ? 'The generator wanted more CPU than it got: stop what else runs on its machine, or give its container more.'
        : 'Share the run among more workers (where cores are idle) or slices, or lower the rate.',
  },
  {
    signal: 'event queue',
    expected: 'few events waiting per turn of the loop, and more than 100 turns a second when busy',
    ...bySeconds(queueLevel),
    observed: (samples) =>
      `${rounded(mean(samples, waitingPerLoop))} events waiting per turn on average, ${rounded(greatest(samples, waitingPerLoop))} at most; ${rounded(mean(samples, ({ loops }) => loops))} turns a second`,
    observedIn: (sample) =>
      `${rounded(waitingPerLoop(sample))} events waiting per turn, ${sample.loops.toLocaleString('en-US')} turns`,
    whenSaturating: 'events may wait: a load that runs flat out asks for more than it can read',
    advice: () =>
      'Events came faster than they were read: share the run among more workers or slices.',
  },
  {
    signal: 'garbage collection',
    expected: 'pauses up to 2 ms; above 10 ms they show in the figures',
    ...bySeconds(({ gcMax }) => levelAbove(gcMax, 2, 10)),
    observed: (samples) =>
      `the longest pause took ${rounded(greatest(samples, ({ gcMax }) => gcMax))} ms`,
    observedIn: ({ gcMax }) => `the longest pause took ${rounded(gcMax)} ms`,
    whenSaturating:
      'a load that runs flat out makes garbage as fast as it can; pauses show in latencies',
    advice: () =>
      'Share the run among more workers (where cores are idle) or slices, or start it with more young space: node --max-semi-space-size=64 node_modules/.bin/weir.',
  },
  {
    signal: 'waiting for a CPU',
    expected:
      'less than 1 % of the time; above 5 % together with late starts the figures are the machine’s',
    level: (samples, lag) => {
      const told = samples.filter(
        ({ cpuWait, throttled }) => cpuWait !== null || throttled !== null,
      );
      if (told.length === 0) return null;
      const level = levelAbove(mean(told, cpuWaitOf), 0.01, 0.05);
      // Not calibrated alone: a generator that still starts on time has room for the wait.
      return level === 'invalid' && lag === 'valid' ? 'degraded' : level;
    },
    observed: (samples) =>
      `${percent(mean(samples, cpuWaitOf))} of the time on average, ${percent(greatest(samples, cpuWaitOf))} of a second at most`,
    observedIn: (sample) => `${percent(cpuWaitOf(sample))} of it`,
    advice: () =>
      'Stop what else runs on the machine, keep the target off it, or raise the container’s CPU quota.',
  },
  {
    signal: 'canary',
    expected:
      'events of a process on this machine read late by up to 1 ms (p99), 95 % of them at least; above 5 ms so is every arrival',
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

interface JudgedSlice {
  readonly level: TrustLevel;
  readonly samples: readonly GeneratorSample[];
  /** The first second, where the figures hold it. */
  readonly unjudged: GeneratorSample | null;
  /** Of several that share the run, the one that they are of. */
  readonly sliceLabel: string | null;
}

const evidenceOf = (signal: Signal, slices: readonly JudgedSlice[]): TrustSignal | null => {
  const level = worstOf(slices.map((slice) => slice.level));
  const worst = slices.find((slice) => slice.level === level);
  if (worst === undefined) return null;
  const { samples, sliceLabel, unjudged } = worst;
  const where = sliceLabel === null ? '' : `${sliceLabel}: `;
  const first =
    unjudged === null ? '' : `; the first second is not judged: ${signal.observedIn(unjudged)}`;
  return {
    signal: signal.signal,
    level,
    observed: `${where}${signal.observed(samples)}${signal.secondsNote?.(samples) ?? ''}${first}`,
    expected: signal.expected,
    advice: level === 'valid' ? null : signal.advice(samples),
  };
};

/** A full core is no fault of a load that wants one; a core that is not had is. */
const forSaturatingLoad = (signal: Signal): Signal =>
  signal.whenSaturating === undefined
    ? signal
    : { ...signal, expected: signal.whenSaturating, level: () => 'valid', secondsNote: () => '' };

/**
 * What the generator's own samples say, each signal by its worst slice (levels: the measurements of
 * the engine's prototypes, see the design notes on performance). `lag` is the level of the start lag in the same seconds.
 */
export const generatorSignals = (result: Result, lag: TrustLevel): readonly TrustSignal[] => {
  const table = saturateLoadOf(result.plan) === null ? signals : signals.map(forSaturatingLoad);
  const slices = result.slices
    .map((slice) => ({ slice, ...judgedSeconds(result, slice.generator) }))
    .filter(({ judged }) => judged.length > 0);
  return table.flatMap((signal) => {
    const judged = slices.flatMap(
      ({ slice, judged: samples, unjudged }): readonly JudgedSlice[] => {
        const level = signal.level(samples, lag);
        const sliceLabel = slice.count === 1 ? null : sliceName(result, slice);
        return level === null ? [] : [{ level, samples, unjudged, sliceLabel }];
      },
    );
    return evidenceOf(signal, judged) ?? [];
  });
};
