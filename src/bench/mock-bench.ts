import { once } from 'node:events';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { z } from 'zod';
import type { SettingsInput } from '../mock/settings.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Bench, Row } from './bench.ts';
import { mockNodeFlags } from '../platform/mock-process.ts';
import { type Bound, startOn } from './processes.ts';

/** The mock as a ruler: how late its tokens are, how much a stream takes, how many chats it answers. */

const streams = 2000;
const tokens = 200;
const gap = 50;
/** Requests begin spread over one gap and more, as they do in life. */
const spread = 1000;

const startMock = async (settings: SettingsInput) => {
  const bound = await startOn(0, ['../cli/main.ts', 'mock', '--embedded'], {
    input: JSON.stringify(settings),
    flags: mockNodeFlags,
  });
  const { url, control } = JSON.parse(bound.line) as { url: string; control: string };
  return { bound, url, control };
};

const nextLine = async (lines: ReturnType<typeof createInterface>): Promise<string> =>
  String((await once(lines, 'line'))[0]);

const truthSchema = z.looseObject({
  lines: z.array(z.looseObject({ due: z.array(z.number()), sent: z.array(z.number()) })),
});

const percentile = (sorted: Float64Array, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;

const noLimits = { requestsPerMinute: null, tokensPerMinute: null };

/** How late each token was handed to the socket, in ms, ascending. */
const latenesses = async (control: string): Promise<Float64Array> => {
  const told: unknown = await (await fetch(`${control}/truth`)).json();
  const { lines } = truthSchema.parse(told);
  const late = lines.flatMap(({ due, sent }) => due.map((instant, i) => sent[i]! - instant));
  if (late.length !== streams * tokens) throw new Error(`${late.length} tokens were told`);
  return Float64Array.from(late).sort();
};

/** Lets all streams run; resolves to the highest and the idle memory of the mock, in bytes. */
const stream = async (mock: Bound, url: string): Promise<{ idle: number; highest: number }> => {
  const body = JSON.stringify({
    model: 'weir/small',
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content: 'hello there' }],
  });
  const port = Number(new URL(url).port);
  const client = await startOn(1, ['stream-client.ts'], {
    input: JSON.stringify({ port, streams, body, spread }),
  });
  try {
    const idle = await mock.memory();
    let highest = idle;
    const done = nextLine(createInterface({ input: client.child.stdout! }));
    client.child.stdin!.write('go\n');
    const look = async (): Promise<void> => {
      highest = Math.max(highest, await mock.memory());
    };
    const watch = setInterval(() => void look(), 250);
    await done;
    clearInterval(watch);
    return { idle, highest };
  } finally {
    await client.stop();
  }
};

const withMock = async <T>(
  differing: SettingsInput,
  use: (mock: Awaited<ReturnType<typeof startMock>>) => Promise<T>,
): Promise<T> => {
  const settings = { ttft: milliseconds(200), gap: milliseconds(gap), limits: noLimits };
  const mock = await startMock({ ...settings, ...differing });
  try {
    return await use(mock);
  } finally {
    await mock.bound.stop();
  }
};

const streaming = async (): Promise<readonly Row[]> => {
  const late = await withMock({ truth: { file: null, keep: streams } }, async (mock) => {
    await stream(mock.bound, mock.url);
    return latenesses(mock.control);
  });
  // The truth takes memory too, which is no stream's.
  const { idle, highest } = await withMock({}, (mock) => stream(mock.bound, mock.url));
  return [
    {
      what: `lateness of tokens, ${streams} streams × ${1000 / gap}/s, p50`,
      value: percentile(late, 0.5),
      unit: 'ms',
      bound: null,
    },
    {
      what: 'the same, p99',
      value: percentile(late, 0.99),
      unit: 'ms',
      bound: { kind: 'at most', value: 2 },
    },
    { what: 'the same, the latest', value: late.at(-1)!, unit: 'ms', bound: null },
    {
      what: 'tokens sent before they were due',
      value: late.filter((lateness) => lateness < 0).length,
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

const chat = {
  model: 'weir/small',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'hello there' }],
};

/** Answers per second to one closed load of a hundred connections. */
const rateOf = async (url: string): Promise<number> => {
  const { requests, non2xx, errors } = await autocannon({
    url: `${url}/chat/completions`,
    method: 'POST',
    headers: { authorization: 'Bearer sk-weir-test', 'content-type': 'application/json' },
    body: JSON.stringify(chat),
    connections: 100,
    duration: 3,
  });
  if (non2xx + errors > 0)
    throw new Error(`${non2xx} refused and ${errors} broken of ${requests.total}`);
  return requests.average;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const answering = async (say: (text: string) => void): Promise<readonly Row[]> => {
  const mock = await startMock({
    ttft: milliseconds(0),
    gap: milliseconds(0),
    limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000 },
  });
  const answer = await (
    await fetch(`${mock.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-weir-test' },
      body: JSON.stringify(chat),
    })
  ).text();
  const bare = await startOn(0, ['bare-server.ts'], { input: answer });
  const bareUrl = (JSON.parse(bare.line) as { url: string }).url;
  try {
    const ratios: number[] = [];
    const rates: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const reference = await rateOf(bareUrl);
      const rate = await rateOf(mock.url);
      say(
        `round ${round + 1}: the mock ${Math.round(rate)}/s, bare node:http ${Math.round(reference)}/s`,
      );
      rates.push(rate);
      ratios.push(rate / reference);
    }
    return [
      {
        what: 'chats answered, limits and ledger on',
        value: median(rates),
        unit: '/s',
        bound: null,
      },
      {
        what: 'the same against bare node:http in the same run',
        value: median(ratios),
        unit: '×',
        bound: { kind: 'at least', value: 0.4 },
      },
    ];
  } finally {
    await bare.stop();
    await mock.bound.stop();
  }
};

export const mockBench: Bench = {
  name: 'mock',
  run: async (say) => [...(await streaming()), ...(await answering(say))],
};
