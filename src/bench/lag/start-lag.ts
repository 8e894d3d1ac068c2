import { decodeHistogram } from '../../model/measures/histogram.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { lagOver, measuredWindow } from '../../model/result/summary.ts';
import type { BenchRow, BenchPart } from '../harness/bench.ts';
import { smallChatTraffic } from '../harness/chat-bytes.ts';
import { runPinned } from '../harness/processes.ts';
import { runWeir } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { sustainsRate } from '../harness/statistics.ts';
import type { BareStarts, BareStartsOptions } from './bare-starts.ts';
import { type LagFigures, lagFiguresOf } from './lag-figures.ts';
import { rampStartShare, streamShare, type StartLoadOptions } from './start-load.ts';

const rounds = 2;
/** Between two tokens of a stream, in ms. */
const gap = 50;

interface LagCase extends StartLoadOptions {
  /** Bound of the 99th percentile, in ms. */
  readonly atMost: number | null;
}

const cases = [500, 1000, 5000, 20_000].flatMap((rate): readonly LagCase[] => {
  // Without a ramp the code is not yet compiled at the full rate, everything that waits opens its own
  // connection, and the bench would measure that storm.
  const load = { rate, inFlight: 10_000, streamSeconds: 4, rampSeconds: 3, seconds: 3 };
  const isBounded = rate === 1000;
  return [
    { ...load, streams: 0, warmUp: 2, atMost: isBounded ? 2 : null },
    // After this warm-up all streams are in flight.
    { ...load, streams: 1000, warmUp: 5, atMost: isBounded ? 1 : null },
  ];
});

/** Tokens per second of all streams. */
const tokenRateOf = ({ streams }: StartLoadOptions): number => (streams * 1000) / gap;

const titleOf = (load: StartLoadOptions): string =>
  `starts at ${load.rate}/s ${load.streams === 0 ? 'alone' : `beside ${tokenRateOf(load)} chunks/s`}`;

/** What a client did in the measured seconds. */
interface LagMeasurement {
  readonly lags: LagFigures;
  /** Tokens received per second. */
  readonly tokenRate: number;
}

const measureBare = async (load: StartLoadOptions, url: string): Promise<LagMeasurement> => {
  const options: BareStartsOptions = { ...load, port: Number(new URL(url).port) };
  const { lags, tokens } = await runPinned<BareStarts>(1, 'bench/lag/bare-starts.ts', options);
  return {
    lags: lagFiguresOf(lags.map(decodeHistogram), load.rate),
    tokenRate: tokens / load.seconds,
  };
};

/** Throws if a request failed for another reason than the end of the run. */
const checkOutcomes = ({ groups, failures }: Result): void => {
  const { completed, limited, refused, malformed, broken } = sumOutcomes(groups);
  const aborted = failures
    .filter(({ outcome, cause }) => outcome === 'broken' && cause === 'aborted')
    .reduce((sum, { count }) => sum + count, 0);
  const wrong = limited + refused + malformed + broken - aborted;
  if (wrong === 0) return;
  const [example] = failures.filter(({ cause }) => !['aborted', 'saturated'].includes(cause));
  throw new Error(
    `${wrong} of ${completed + wrong} requests of weir failed (${example?.cause}: ${example?.message})`,
  );
};

const measureWeir = async (load: StartLoadOptions, target: string): Promise<LagMeasurement> => {
  const share = streamShare(load);
  const streams = { kind: 'chat-stream', ...smallChatTraffic, weight: share };
  const chats = { kind: 'chat', ...smallChatTraffic, weight: 1 - share };
  const { rate, rampSeconds, warmUp, seconds, inFlight } = load;
  const result = await runWeir({
    name: 'start-lag',
    target,
    traffic: share > 0 ? [chats, streams] : [chats],
    load: {
      kind: 'ramping',
      from: `${rate * rampStartShare}/s`,
      steps: [
        { to: `${rate}/s`, over: `${rampSeconds}s` },
        { to: `${rate}/s`, over: `${warmUp + seconds}s` },
      ],
    },
    warmUp: `${rampSeconds + warmUp}s`,
    inFlight,
    // Streams in flight at the end do not matter.
    grace: '0s',
  });
  checkOutcomes(result);
  const timeline = measuredWindow(result)?.timeline ?? [];
  const lagsBySecond = timeline.map((second) => lagOver([second]));
  return {
    lags: lagFiguresOf(lagsBySecond, rate),
    tokenRate: timeline.reduce((sum, { tokenEvents }) => sum + tokenEvents, 0) / seconds,
  };
};

interface Round {
  readonly own: LagMeasurement;
  readonly bare: LagMeasurement;
}

/** Beside fewer tokens than requested, starts are easier. */
const isUsable = (load: StartLoadOptions, { tokenRate }: LagMeasurement): boolean =>
  sustainsRate(tokenRate, tokenRateOf(load));

/** The best of the rounds that count: other load on the machine only adds time. */
const rowsOf = (lagCase: LagCase, all: readonly Round[]): readonly BenchRow[] => {
  const best = (
    who: keyof Round,
    of: (lags: LagFigures) => number,
    better: typeof Math.max,
  ): number => {
    const usable = all.map((round) => round[who]).filter((each) => isUsable(lagCase, each));
    return usable.length === 0 ? Number.NaN : better(...usable.map(({ lags }) => of(lags)));
  };
  const row = (what: string, of: (lags: LagFigures) => number, isMore = false): BenchRow => ({
    what: `${titleOf(lagCase)}: ${what}`,
    unit: isMore ? '%' : 'ms',
    bound: null,
    value: best('own', of, isMore ? Math.max : Math.min),
    reference: best('bare', of, isMore ? Math.max : Math.min),
  });
  const { atMost } = lagCase;
  const bound = atMost === null ? null : ({ kind: 'at most', value: atMost } as const);
  return [
    row('lag, p50', ({ p50 }) => p50),
    { ...row('p99', ({ p99 }) => p99), bound },
    { ...row('p99 of the median second', ({ medianP99 }) => medianP99), bound },
    row('started of those due', ({ startedPercent }) => startedPercent, true),
  ];
};

/** So many starts were dropped that the percentile is one of theirs: it is not measured. */
const inMs = (lag: number): string =>
  Number.isFinite(lag) ? `${lag.toFixed(2)} ms` : 'not measured';

const describe = (load: StartLoadOptions, measurement: LagMeasurement): string => {
  const { p50, p99, medianP99, startedPercent } = measurement.lags;
  const lags = `p50 ${inMs(p50)}, p99 ${inMs(medianP99)} (all ${inMs(p99)})`;
  const beside = load.streams === 0 ? '' : ` beside ${Math.round(measurement.tokenRate)} chunks/s`;
  const ignored = isUsable(load, measurement) ? '' : ', too few to count';
  return `${lags}, ${startedPercent.toFixed(1)} % started${beside}${ignored}`;
};

/** How late `weir run` starts the due requests of an open load, and how late a bare process does. */
export const measureStartLag: BenchPart = async (say) => {
  const tokens = (cases[0]!.streamSeconds * 1000) / gap;
  await using server = await startChatServer({ gap, tokens, certificate: null });
  const roundsByCase = new Map(cases.map((lagCase) => [lagCase, [] as Round[]]));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [lagCase, measured] of roundsByCase) {
      const bare = await measureBare(lagCase, server.url);
      const own = await measureWeir(lagCase, server.url);
      measured.push({ own, bare });
      const [weir, reference] = [own, bare].map((each) => describe(lagCase, each));
      say(`${titleOf(lagCase)}, round ${round}: weir ${weir}; bare ${reference}`);
    }
  }
  return [...roundsByCase].flatMap(([lagCase, measured]) => rowsOf(lagCase, measured));
};
