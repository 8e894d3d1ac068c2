import {
  decodeHistogram,
  type Histogram,
  sumOfHistograms,
} from '../../model/measures/histogram.ts';
import type { Result } from '../../model/result/result.ts';
import { lagOver, measuredWindow } from '../../model/result/summary.ts';
import { atMost, type BenchPart, rowsBeside, takeTurns } from '../harness/bench.ts';
import { smallChatTraffic } from '../harness/chat-bytes.ts';
import { runPinned } from '../harness/processes.ts';
import { runWeir } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median, sustainsRate } from '../harness/statistics.ts';
import type { BareStarts, BareStartsOptions } from './bare-starts.ts';
import { rampStartShare, streamShare, type StartLoadOptions } from './start-load.ts';

/** Between two tokens of a stream, in ms. */
const gap = 50;

/** Tokens per second of all streams. */
const tokenRateOf = ({ streams }: StartLoadOptions): number => (streams * 1000) / gap;

/** A due start that never began counts as later than any other. */
const percentile = (lags: Histogram, q: number, due: number): number => {
  const rank = Math.ceil(Math.max(due, lags.count) * q);
  return rank > lags.count ? Number.POSITIVE_INFINITY : lags.atRank(rank);
};

/** How late starts were, in ms, from the lags of each second's starts at two digits; `rate` starts were due in each second. */
export const lagFiguresOf = (seconds: readonly Histogram[], rate: number) => {
  const whole = sumOfHistograms(seconds, 2);
  const due = rate * seconds.length;
  return {
    p50: percentile(whole, 0.5, due),
    p99: percentile(whole, 0.99, due),
    /** The median of the 99th percentiles of each second: a pause of the machine cannot move it. */
    medianP99: median(seconds.map((second) => percentile(second, 0.99, rate))),
    /** The share of the due starts that began. */
    startedPercent: (whole.count / due) * 100,
  };
};
type LagFigures = ReturnType<typeof lagFiguresOf>;

/** What a client did in the measured seconds; `tokenRate` is tokens received per second. */
const measureBare = async (load: StartLoadOptions, url: string) => {
  const options: BareStartsOptions = {
    ...load,
    port: Number(new URL(url).port),
    wakes: 'each millisecond',
  };
  const { lags, tokens } = await runPinned<BareStarts>(1, 'bench/lag/bare-starts.ts', options);
  return {
    lags: lagFiguresOf(lags.map(decodeHistogram), load.rate),
    tokenRate: tokens / load.seconds,
  };
};
type LagMeasurement = Awaited<ReturnType<typeof measureBare>>;

/** Throws if a request failed for another reason than the end of the run. */
const checkOutcomes = ({ failures }: Result): void => {
  const wrong = failures.filter(({ cause }) => !['aborted', 'saturated'].includes(cause));
  const count = wrong.reduce((sum, failure) => sum + failure.count, 0);
  const [example] = wrong;
  if (example)
    throw new Error(`${count} requests of weir failed (${example.cause}: ${example.message})`);
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

const clients = { bare: measureBare, weir: measureWeir };

/** So many starts were dropped that the percentile is one of theirs: it is not measured. */
const inMs = (lag: number): string =>
  Number.isFinite(lag) ? `${lag.toFixed(2)} ms` : 'not measured';

/** How late `weir run` starts the due requests of an open load, and how late a bare process does; p99 is at `most` ms. */
const startLagBench =
  (load: StartLoadOptions, most: number): BenchPart =>
  async (say) => {
    const { rate, streams, streamSeconds } = load;
    const title = `starts at ${rate}/s ${streams === 0 ? 'alone' : `beside ${tokenRateOf(load)} chunks/s`}`;
    /** Beside fewer tokens than requested, starts are easier. */
    const isUsable = ({ tokenRate }: LagMeasurement): boolean =>
      sustainsRate(tokenRate, tokenRateOf(load));
    const tokens = (streamSeconds * 1000) / gap;
    await using server = await startChatServer({ gap, tokens, certificate: null });
    const { bare, weir } = await takeTurns(say, {
      title,
      rounds: 2,
      candidates: ['bare', 'weir'],
      measure: (name) => clients[name](load, server.url),
      describe: (measurement) => {
        const { p50, p99, medianP99, startedPercent } = measurement.lags;
        const lags = `p50 ${inMs(p50)}, p99 ${inMs(medianP99)} (all ${inMs(p99)})`;
        const beside = streams === 0 ? '' : ` beside ${Math.round(measurement.tokenRate)} chunks/s`;
        const ignored = isUsable(measurement) ? '' : ', too few to count';
        return `${lags}, ${startedPercent.toFixed(1)} % started${beside}${ignored}`;
      },
    });
    /** The best of the rounds that count: other load on the machine only adds time. */
    const best = (name: keyof LagFigures) => (measured: readonly LagMeasurement[]) => {
      const usable = measured.filter(isUsable).map(({ lags }) => lags[name]);
      return usable.length === 0 ? Number.NaN : Math.min(...usable);
    };
    const row = rowsBeside(weir, bare);
    return [
      row(`${title}: lag, p50`, 'ms', best('p50')),
      row(`${title}: p99`, 'ms', best('p99'), atMost(most)),
      row(`${title}: p99 of the median second`, 'ms', best('medianP99'), atMost(most)),
    ];
  };

// Without a ramp the code is not yet compiled at the full rate, everything that waits opens its own
// connection, and the bench would measure that storm.
const common = { rate: 1000, inFlight: 10_000, streamSeconds: 4, rampSeconds: 3, seconds: 3 };

export const startLag: readonly BenchPart[] = [
  startLagBench({ ...common, streams: 0, warmUp: 2 }, 2),
  // After this warm-up all streams are in flight.
  startLagBench({ ...common, streams: 1000, warmUp: 5 }, 1),
  startLagBench({ ...common, rate: 3200, streams: 0, warmUp: 2 }, 5),
];
