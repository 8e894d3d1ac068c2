import { decodeHistogram, type EncodedHistogram } from '../model/histogram.ts';
import { lagOver, measuredWindow } from '../model/summary.ts';
import type { Bench, Row } from './bench.ts';
import { type Bound, startOn } from './processes.ts';
import { chat } from './small-chat.ts';
import { type StartLags, startLagsOf } from './start-lags.ts';
import { streamShare, type StartOrder } from './start-order.ts';
import { runWeir } from './weir-run.ts';

/** How late `weir run` begins what is due of an open load, alone and beside streams, and a bare process that does the same. */

const rounds = 2;
const gap = 50;
/** In seconds, of each stream. */
const lasting = 4;
const inFlight = 10_000;
const rates = [500, 1000, 5000, 20_000];

interface Case extends StartOrder {
  /** What the 99th percentile may be at most, in ms. */
  readonly atMost: number | null;
}

const cases = rates.flatMap((rate): readonly Case[] => {
  const isHeld = rate === 1000;
  const alone = { rate, streams: 0, inFlight, lasting, warmUp: 2, seconds: 3 };
  return [
    { ...alone, atMost: isHeld ? 2 : null },
    // By then as many streams are in flight as ever will be.
    { ...alone, streams: 1000, warmUp: 5, atMost: isHeld ? 1 : null },
  ];
});

const title = ({ rate, streams }: StartOrder): string => {
  const chunks = (streams * 1000) / gap;
  return `starts at ${rate}/s ${streams === 0 ? 'alone' : `beside ${chunks} chunks/s`}`;
};

const byBare = async (order: StartOrder, port: number): Promise<StartLags> => {
  const bound = await startOn(1, ['bare-starts.ts'], { input: JSON.stringify({ ...order, port }) });
  await bound.stop();
  const seconds = JSON.parse(bound.line) as readonly EncodedHistogram[];
  return startLagsOf(seconds.map(decodeHistogram), order.rate);
};

const byWeir = async (order: StartOrder, port: number): Promise<StartLags> => {
  const { model, max_tokens: maxTokens, messages } = chat;
  const asked = { model, prompt: messages[0].content, maxTokens };
  const share = streamShare(order);
  const streams = { kind: 'chat-stream', ...asked, weight: share };
  const result = await runWeir({
    name: 'start-lag',
    target: `http://127.0.0.1:${port}/v1`,
    traffic: [{ kind: 'chat', ...asked, weight: 1 - share }, ...(share > 0 ? [streams] : [])],
    load: {
      kind: 'constant',
      rate: `${order.rate}/s`,
      duration: `${order.warmUp + order.seconds}s`,
    },
    warmUp: `${order.warmUp}s`,
    inFlight: order.inFlight,
    // The streams that are in flight at the end are nobody's concern.
    grace: '0s',
  });
  const timeline = measuredWindow(result)?.timeline ?? [];
  return startLagsOf(
    timeline.map((second) => lagOver([second])),
    order.rate,
  );
};

interface Turn {
  readonly own: StartLags;
  readonly bare: StartLags;
}

/** The best of the rounds: what else runs on the machine only adds. */
const rowsOf = (each: Case, turns: readonly Turn[]): readonly Row[] => {
  const row = (what: string, of: (lags: StartLags) => number): Row => ({
    ...{ what: `${title(each)}: ${what}`, unit: 'ms', bound: null },
    value: Math.min(...turns.map(({ own }) => of(own))),
    ruler: Math.min(...turns.map(({ bare }) => of(bare))),
  });
  const begun: Row = {
    ...{ what: `${title(each)}: begun of those due`, unit: '%', bound: null },
    value: Math.max(...turns.map(({ own }) => own.begun)),
    ruler: Math.max(...turns.map(({ bare }) => bare.begun)),
  };
  const bound = each.atMost === null ? null : ({ kind: 'at most', value: each.atMost } as const);
  return [
    row('lag, p50', ({ p50 }) => p50),
    { ...row('p99', ({ p99 }) => p99), bound },
    { ...row('p99 of the median second', ({ medianP99 }) => medianP99), bound },
    begun,
  ];
};

const told = ({ p50, p99, medianP99, begun }: StartLags): string =>
  `p50 ${p50.toFixed(2)}, p99 ${medianP99.toFixed(2)} (all ${p99.toFixed(2)}) ms, ${begun.toFixed(1)} % begun`;

export const lagBench: Bench = {
  name: 'lag',
  run: async (say) => {
    const input = JSON.stringify({ gap, tokens: (lasting * 1000) / gap });
    const server: Bound = await startOn(0, ['lag-server.ts'], { input });
    const turns = new Map(cases.map((each) => [each, [] as Turn[]]));
    try {
      for (let round = 1; round <= rounds; round += 1) {
        for (const [each, taken] of turns) {
          const bare = await byBare(each, Number(server.line));
          const own = await byWeir(each, Number(server.line));
          taken.push({ own, bare });
          say(`${title(each)}, round ${round}: weir ${told(own)}; bare ${told(bare)}`);
        }
      }
    } finally {
      await server.stop();
    }
    return [...turns].flatMap(([each, taken]) => rowsOf(each, taken));
  },
};
