import { decodeHistogram } from '../../model/measures/histogram.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { lagOver, measuredWindow } from '../../model/result/summary.ts';
import type { BareStarts } from './bare-starts.ts';
import type { Bench, BenchRow } from '../harness/bench.ts';
import { sustainsRate } from '../harness/sustained-rate.ts';
import { type PinnedProcess, startPinned } from '../harness/pinned-processes.ts';
import { smallChat } from '../harness/small-chat.ts';
import { type StartLags, startLagsOf } from './start-lags.ts';
import { rampStartShare, streamShare, type StartLoadOptions } from './start-load.ts';
import { runWeir } from '../harness/run-weir.ts';

/** How late `weir run` begins what is due of an open load, alone and beside streams, and a bare process that does the same. */

const rounds = 2;
const gap = 50;
/** In seconds, of each stream. */
const streamSeconds = 4;
const inFlight = 10_000;
/**
 * In seconds. Begun at the full rate, a run's code is not yet compiled, all that waits gets connections of its
 * own, and that storm would be measured instead.
 */
const rampSeconds = 3;
const rates = [500, 1000, 5000, 20_000];

interface LagCase extends StartLoadOptions {
  /** What the 99th percentile may be at most, in ms. */
  readonly atMost: number | null;
}

const cases = rates.flatMap((rate): readonly LagCase[] => {
  const isBounded = rate === 1000;
  const alone = { rate, streams: 0, inFlight, streamSeconds, rampSeconds, warmUp: 2, seconds: 3 };
  return [
    { ...alone, atMost: isBounded ? 2 : null },
    // By then as many streams are in flight as ever will be.
    { ...alone, streams: 1000, warmUp: 5, atMost: isBounded ? 1 : null },
  ];
});

/** In a second, of all streams. */
const chunksOf = ({ streams }: StartLoadOptions): number => (streams * 1000) / gap;

const caseTitle = (options: StartLoadOptions): string =>
  `starts at ${options.rate}/s ${options.streams === 0 ? 'alone' : `beside ${chunksOf(options)} chunks/s`}`;

/** What a client did in the seconds that are measured. */
interface LagMeasurement {
  readonly lags: StartLags;
  /** Tokens that its streams brought in a second. */
  readonly tokenRate: number;
}

const measureBare = async (options: StartLoadOptions, port: number): Promise<LagMeasurement> => {
  const bound = await startPinned(1, ['bare-starts.ts'], {
    input: JSON.stringify({ ...options, port }),
  });
  await bound.stop();
  const { lags, tokens } = JSON.parse(bound.line) as BareStarts;
  return {
    lags: startLagsOf(lags.map(decodeHistogram), options.rate),
    tokenRate: tokens / options.seconds,
  };
};

/** Throws where an answer was not what the server says; what the end of the run cut off was to be. */
const checkOutcomes = ({ groups, failures }: Result): void => {
  const { completed, limited, refused, malformed, broken } = sumOutcomes(groups);
  const cut = failures
    .filter(({ outcome, cause }) => outcome === 'broken' && cause === 'aborted')
    .reduce((sum, { count }) => sum + count, 0);
  const wrong = limited + refused + malformed + broken - cut;
  if (wrong === 0) return;
  const [example] = failures.filter(({ cause }) => !['aborted', 'saturated'].includes(cause));
  throw new Error(
    `${wrong} of ${completed + wrong} requests of weir failed (${example?.cause}: ${example?.message})`,
  );
};

const measureWeir = async (options: StartLoadOptions, port: number): Promise<LagMeasurement> => {
  const { model, max_tokens: maxTokens, messages } = smallChat;
  const asked = { model, prompt: messages[0].content, maxTokens };
  const share = streamShare(options);
  const streams = { kind: 'chat-stream', ...asked, weight: share };
  const { rate, warmUp, seconds } = options;
  const result = await runWeir({
    name: 'start-lag',
    target: `http://127.0.0.1:${port}/v1`,
    traffic: [{ kind: 'chat', ...asked, weight: 1 - share }, ...(share > 0 ? [streams] : [])],
    load: {
      kind: 'ramping',
      from: `${rate * rampStartShare}/s`,
      steps: [
        { to: `${rate}/s`, over: `${options.rampSeconds}s` },
        { to: `${rate}/s`, over: `${warmUp + seconds}s` },
      ],
    },
    warmUp: `${options.rampSeconds + warmUp}s`,
    inFlight: options.inFlight,
    // The streams that are in flight at the end are nobody's concern.
    grace: '0s',
  });
  checkOutcomes(result);
  const timeline = measuredWindow(result)?.timeline ?? [];
  return {
    lags: startLagsOf(
      timeline.map((second) => lagOver([second])),
      rate,
    ),
    tokenRate: timeline.reduce((sum, { tokenEvents }) => sum + tokenEvents, 0) / seconds,
  };
};

interface Round {
  readonly own: LagMeasurement;
  readonly bare: LagMeasurement;
}

/** Starts beside less than was asked for were easier. */
const isUsable = (options: StartLoadOptions, { tokenRate }: LagMeasurement): boolean =>
  sustainsRate(tokenRate, chunksOf(options));

/** The best of the rounds that count: what else runs on the machine only adds. */
const rowsOf = (each: LagCase, all: readonly Round[]): readonly BenchRow[] => {
  const best = (
    who: keyof Round,
    of: (lags: StartLags) => number,
    better: (...figures: number[]) => number = Math.min,
  ): number => {
    const counting = all.map((round) => round[who]).filter((turn) => isUsable(each, turn));
    return counting.length === 0 ? Number.NaN : better(...counting.map(({ lags }) => of(lags)));
  };
  const row = (what: string, of: (lags: StartLags) => number): BenchRow => ({
    what: `${caseTitle(each)}: ${what}`,
    unit: 'ms',
    bound: null,
    value: best('own', of),
    ruler: best('bare', of),
  });
  const begun: BenchRow = {
    what: `${caseTitle(each)}: begun of those due`,
    unit: '%',
    bound: null,
    value: best('own', (lags) => lags.startedPercent, Math.max),
    ruler: best('bare', (lags) => lags.startedPercent, Math.max),
  };
  const bound = each.atMost === null ? null : ({ kind: 'at most', value: each.atMost } as const);
  return [
    row('lag, p50', ({ p50 }) => p50),
    { ...row('p99', ({ p99 }) => p99), bound },
    { ...row('p99 of the median second', ({ medianP99 }) => medianP99), bound },
    begun,
  ];
};

/** A start that never was has no lag: where so many are missing that the figure would be one of theirs, there is none. */
const inMs = (lag: number): string =>
  Number.isFinite(lag) ? `${lag.toFixed(2)} ms` : 'not measured';

const describe = (options: StartLoadOptions, turn: LagMeasurement): string => {
  const { p50, p99, medianP99, startedPercent } = turn.lags;
  const lags = `p50 ${inMs(p50)}, p99 ${inMs(medianP99)} (all ${inMs(p99)})`;
  const beside = options.streams === 0 ? '' : ` beside ${Math.round(turn.tokenRate)} chunks/s`;
  const late = isUsable(options, turn) ? '' : ', too few to count';
  return `${lags}, ${startedPercent.toFixed(1)} % begun${beside}${late}`;
};

export const lagBench: Bench = {
  name: 'lag',
  about: 'how late a run begins what is due, alone and beside streams',
  run: async (say) => {
    const input = JSON.stringify({ gap, tokens: (streamSeconds * 1000) / gap });
    const server: PinnedProcess = await startPinned(0, ['lag-server.ts'], { input });
    const turns = new Map(cases.map((each) => [each, [] as Round[]]));
    try {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [each, measuredRounds] of turns) {
          const bare = await measureBare(each, Number(server.line));
          const own = await measureWeir(each, Number(server.line));
          measuredRounds.push({ own, bare });
          say(
            `${caseTitle(each)}, round ${round}: weir ${describe(each, own)}; bare ${describe(each, bare)}`,
          );
        }
      }
    } finally {
      await server.stop();
    }
    return [...turns].flatMap(([each, measuredRounds]) => rowsOf(each, measuredRounds));
  },
};
