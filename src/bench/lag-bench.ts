import { decodeHistogram } from '../model/histogram.ts';
import type { Result } from '../model/result.ts';
import { outcomesOf } from '../model/outcomes.ts';
import { lagOver, measuredWindow } from '../model/summary.ts';
import type { BareStarts } from './bare-starts.ts';
import type { Bench, Row } from './bench.ts';
import { keepsPace } from './kept-pace.ts';
import { type Bound, startOn } from './processes.ts';
import { chat } from './small-chat.ts';
import { type StartLags, startLagsOf } from './start-lags.ts';
import { risesFrom, streamShare, type StartOrder } from './start-order.ts';
import { runWeir } from './weir-run.ts';

/** How late `weir run` begins what is due of an open load, alone and beside streams, and a bare process that does the same. */

const rounds = 2;
const gap = 50;
/** In seconds, of each stream. */
const lasting = 4;
const inFlight = 10_000;
/**
 * In seconds. Begun at the full rate, a run's code is not yet compiled, all that waits gets connections of its
 * own, and that storm would be measured instead.
 */
const rising = 3;
const rates = [500, 1000, 5000, 20_000];

interface Case extends StartOrder {
  /** What the 99th percentile may be at most, in ms. */
  readonly atMost: number | null;
}

const cases = rates.flatMap((rate): readonly Case[] => {
  const isHeld = rate === 1000;
  const alone = { rate, streams: 0, inFlight, lasting, rising, warmUp: 2, seconds: 3 };
  return [
    { ...alone, atMost: isHeld ? 2 : null },
    // By then as many streams are in flight as ever will be.
    { ...alone, streams: 1000, warmUp: 5, atMost: isHeld ? 1 : null },
  ];
});

/** In a second, of all streams. */
const chunksOf = ({ streams }: StartOrder): number => (streams * 1000) / gap;

const title = (order: StartOrder): string =>
  `starts at ${order.rate}/s ${order.streams === 0 ? 'alone' : `beside ${chunksOf(order)} chunks/s`}`;

/** What a client did in the seconds that are measured. */
interface Turn {
  readonly lags: StartLags;
  /** Tokens that its streams brought in a second. */
  readonly pace: number;
}

const byBare = async (order: StartOrder, port: number): Promise<Turn> => {
  const bound = await startOn(1, ['bare-starts.ts'], { input: JSON.stringify({ ...order, port }) });
  await bound.stop();
  const { lags, tokens } = JSON.parse(bound.line) as BareStarts;
  return {
    lags: startLagsOf(lags.map(decodeHistogram), order.rate),
    pace: tokens / order.seconds,
  };
};

/** Throws where an answer was not what the server says; what the end of the run cut off was to be. */
const checkOutcomes = ({ groups, failures }: Result): void => {
  const { completed, limited, refused, malformed, broken } = outcomesOf(groups);
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

const byWeir = async (order: StartOrder, port: number): Promise<Turn> => {
  const { model, max_tokens: maxTokens, messages } = chat;
  const asked = { model, prompt: messages[0].content, maxTokens };
  const share = streamShare(order);
  const streams = { kind: 'chat-stream', ...asked, weight: share };
  const { rate, warmUp, seconds } = order;
  const result = await runWeir({
    name: 'start-lag',
    target: `http://127.0.0.1:${port}/v1`,
    traffic: [{ kind: 'chat', ...asked, weight: 1 - share }, ...(share > 0 ? [streams] : [])],
    load: {
      kind: 'ramping',
      from: `${rate * risesFrom}/s`,
      steps: [
        { to: `${rate}/s`, over: `${order.rising}s` },
        { to: `${rate}/s`, over: `${warmUp + seconds}s` },
      ],
    },
    warmUp: `${order.rising + warmUp}s`,
    inFlight: order.inFlight,
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
    pace: timeline.reduce((sum, { tokenEvents }) => sum + tokenEvents, 0) / seconds,
  };
};

interface Round {
  readonly own: Turn;
  readonly bare: Turn;
}

/** Starts beside less than was asked for were easier. */
const counts = (order: StartOrder, { pace }: Turn): boolean => keepsPace(pace, chunksOf(order));

/** The best of the rounds that count: what else runs on the machine only adds. */
const rowsOf = (each: Case, all: readonly Round[]): readonly Row[] => {
  const best = (
    who: keyof Round,
    of: (lags: StartLags) => number,
    better: (...figures: number[]) => number = Math.min,
  ): number => {
    const counting = all.map((round) => round[who]).filter((turn) => counts(each, turn));
    return counting.length === 0 ? Number.NaN : better(...counting.map(({ lags }) => of(lags)));
  };
  const row = (what: string, of: (lags: StartLags) => number): Row => ({
    ...{ what: `${title(each)}: ${what}`, unit: 'ms', bound: null },
    value: best('own', of),
    ruler: best('bare', of),
  });
  const begun: Row = {
    ...{ what: `${title(each)}: begun of those due`, unit: '%', bound: null },
    value: best('own', (lags) => lags.begun, Math.max),
    ruler: best('bare', (lags) => lags.begun, Math.max),
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

const told = (order: StartOrder, turn: Turn): string => {
  const { p50, p99, medianP99, begun } = turn.lags;
  const lags = `p50 ${inMs(p50)}, p99 ${inMs(medianP99)} (all ${inMs(p99)})`;
  const beside = order.streams === 0 ? '' : ` beside ${Math.round(turn.pace)} chunks/s`;
  const late = counts(order, turn) ? '' : ', too few to count';
  return `${lags}, ${begun.toFixed(1)} % begun${beside}${late}`;
};

export const lagBench: Bench = {
  name: 'lag',
  about: 'how late a run begins what is due, alone and beside streams',
  run: async (say) => {
    const input = JSON.stringify({ gap, tokens: (lasting * 1000) / gap });
    const server: Bound = await startOn(0, ['lag-server.ts'], { input });
    const turns = new Map(cases.map((each) => [each, [] as Round[]]));
    try {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [each, taken] of turns) {
          const bare = await byBare(each, Number(server.line));
          const own = await byWeir(each, Number(server.line));
          taken.push({ own, bare });
          say(`${title(each)}, round ${round}: weir ${told(each, own)}; bare ${told(each, bare)}`);
        }
      }
    } finally {
      await server.stop();
    }
    return [...turns].flatMap(([each, taken]) => rowsOf(each, taken));
  },
};
