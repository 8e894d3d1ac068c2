import { z } from 'zod';
import type { SettingsInput } from '../mock/settings.ts';
import { milliseconds } from '../model/quantity.ts';
import { mockNodeFlags } from '../platform/mock-process.ts';
import type { Row } from './bench.ts';
import { type Lateness, latenessOf } from './lateness.ts';
import { startMock } from './mock-under-bench.ts';
import { type Bound, startOn } from './processes.ts';
import { chat } from './small-chat.ts';

/** How late the mock's tokens are, beside those of a process that only writes them, and how much a stream takes. */

/** At least, and at most where the machine disturbed them all. */
const rounds = { least: 3, most: 8 };
/** Of the 99th percentile of a token's lateness, in ms. */
const bound = 2;
const streams = 2000;
const tokens = 200;
const gap = 50;
const ttft = 200;
/** Requests begin spread over one gap and more, as they do in life. */
const spread = 1000;

const truthSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

const noLimits = { requestsPerMinute: null, tokensPerMinute: null };

/** How late the mock says that its tokens were. */
const toldLateness = async (control: string): Promise<Lateness> => {
  const told: unknown = await (await fetch(`${control}/truth`)).json();
  // A few short answers before the load were not measured.
  const lines = truthSchema.parse(told).lines.slice(-streams);
  const due = lines.flatMap((line) => line.due);
  if (due.length !== streams * tokens) throw new Error(`${due.length} tokens were told`);
  return latenessOf(
    due,
    lines.flatMap((line) => line.sent),
  );
};

interface Load {
  readonly streams: number;
  readonly tokens: number;
}

const load: Load = { streams, tokens };

/** What makes the mock's code warm, as a user's first seconds do. */
const warmUp: Load = { streams: 300, tokens: 20 };

/** Lets all streams of a load run against a port and resolves when the last has ended. */
const stream = async (port: number, order: Load, onBegin = async () => undefined) => {
  const body = JSON.stringify({ ...chat, stream: true, max_tokens: order.tokens });
  const client = await startOn(1, ['stream-client.ts'], {
    input: JSON.stringify({ port, streams: order.streams, body, spread }),
  });
  try {
    await onBegin();
    client.child.stdin!.write('go\n');
    await client.next();
  } finally {
    await client.stop();
  }
};

const portOf = (url: string): number => Number(new URL(url).port);

/** The highest and the idle memory of the mock while all streams run, in bytes. */
const memoryWhile = async (
  mock: Bound,
  url: string,
): Promise<{ idle: number; highest: number }> => {
  let idle = Number.NaN;
  let highest = 0;
  const note = (bytes: number): void => {
    highest = Math.max(highest, bytes);
  };
  let watch: NodeJS.Timeout | undefined;
  try {
    await stream(portOf(url), load, async () => {
      idle = await mock.memory();
      watch = setInterval(() => void mock.memory().then(note, () => note(Number.NaN)), 250);
    });
  } finally {
    clearInterval(watch);
  }
  return { idle, highest };
};

/** How late a process is that only writes the tokens. */
const bareLateness = async (): Promise<Lateness> => {
  const bare = await startOn(0, ['bare-streams.ts'], {
    input: JSON.stringify({ ...load, gap, ttft }),
    flags: mockNodeFlags,
  });
  try {
    await stream(Number(bare.line), load);
    return JSON.parse(await bare.next()) as Lateness;
  } finally {
    await bare.stop();
  }
};

const withMock = async <T>(
  differing: SettingsInput,
  use: (mock: Awaited<ReturnType<typeof startMock>>) => Promise<T>,
): Promise<T> => {
  const settings = { ttft: milliseconds(ttft), gap: milliseconds(gap), limits: noLimits };
  const mock = await startMock({ ...settings, ...differing });
  try {
    return await use(mock);
  } finally {
    await mock.bound.stop();
  }
};

const mockLateness = (): Promise<Lateness> =>
  withMock({ truth: { file: null, keep: streams } }, async (mock) => {
    await stream(portOf(mock.url), warmUp);
    await stream(portOf(mock.url), load);
    return toldLateness(mock.control);
  });

interface Turns {
  readonly bare: Lateness;
  readonly late: Lateness;
  readonly rounds: number;
}

/**
 * By turns, since what else the machine does comes and goes, until a round was quiet enough for the
 * bare process to keep the bound; and the best of each, since disturbance only ever adds.
 */
const lateByTurns = async (say: (text: string) => void): Promise<Turns> => {
  const turns: { bare: Lateness; late: Lateness }[] = [];
  const isDecided = (): boolean =>
    turns.length >= rounds.least &&
    turns.some(({ bare, late }) => bare.p99 <= bound || late.p99 <= bound);
  while (turns.length < rounds.most && !isDecided()) {
    const turn = { bare: await bareLateness(), late: await mockLateness() };
    turns.push(turn);
    const told = ({ p50, p99, medianP99 }: Lateness): string =>
      `p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, of the median half second ${medianP99.toFixed(2)} ms`;
    say(`tokens, round ${turns.length}: the mock ${told(turn.late)}; bare ${told(turn.bare)}`);
  }
  const best = (of: 'bare' | 'late'): Lateness =>
    turns.map((turn) => turn[of]).reduce((a, b) => (b.p99 < a.p99 ? b : a));
  return { bare: best('bare'), late: best('late'), rounds: turns.length };
};

export const benchStreams = async (say: (text: string) => void): Promise<readonly Row[]> => {
  const { bare, late, rounds: took } = await lateByTurns(say);
  // The truth takes memory too, which is no stream's.
  const { idle, highest } = await withMock({}, (mock) => memoryWhile(mock.bound, mock.url));
  const atMost = { kind: 'at most', value: bound } as const;
  return [
    {
      what: `lateness of tokens, ${streams} streams × ${1000 / gap}/s, best of ${took} rounds: p50`,
      value: late.p50,
      unit: 'ms',
      bound: null,
      ruler: bare.p50,
    },
    { what: 'the same, p99', value: late.p99, unit: 'ms', bound: atMost, ruler: bare.p99 },
    {
      what: 'the same, p99 of the median half second',
      value: late.medianP99,
      unit: 'ms',
      bound: atMost,
      ruler: bare.medianP99,
    },
    {
      what: 'the same, the latest',
      value: late.latest,
      unit: 'ms',
      bound: null,
      ruler: bare.latest,
    },
    {
      what: 'tokens sent before they were due',
      value: late.early,
      unit: '',
      bound: { kind: 'at most', value: 0 },
    },
    {
      what: 'memory for a stream above its idle connection',
      value: (highest - idle) / streams / 1024,
      unit: 'KiB',
      bound: { kind: 'at most', value: 32 },
    },
  ];
};
