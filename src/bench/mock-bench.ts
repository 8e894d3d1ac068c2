import { once } from 'node:events';
import { createInterface } from 'node:readline';
import autocannon from 'autocannon';
import { z } from 'zod';
import type { SettingsInput } from '../mock/settings.ts';
import { milliseconds } from '../model/quantity.ts';
import type { Bench, Row } from './bench.ts';
import { type Bound, startOn } from './processes.ts';

/** The mock as a ruler: how late its tokens are, how much a stream takes, how many chats it answers. */

const streams = 2000;
const tokens = 200;
const gap = 50;
/** Requests begin spread over one gap and more, as they do in life. */
const spread = 1000;

const startMock = async (settings: SettingsInput) => {
  const bound = await startOn(
    0,
    ['../cli/weir.js', 'mock', '--embedded'],
    JSON.stringify(settings),
  );
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

const streaming = async (): Promise<readonly Row[]> => {
  const mock = await startMock({
    ttft: milliseconds(200),
    gap: milliseconds(gap),
    limits: noLimits,
    truth: { file: null, keep: streams },
  });
  const body = JSON.stringify({
    model: 'weir/small',
    stream: true,
    max_tokens: tokens,
    messages: [{ role: 'user', content: 'hello there' }],
  });
  let client: Bound | null = null;
  try {
    const port = Number(new URL(mock.url).port);
    client = await startOn(
      1,
      ['stream-client.ts'],
      JSON.stringify({ port, streams, body, spread }),
    );
    const idle = await mock.bound.memory();
    const lines = createInterface({ input: client.child.stdout! });
    const done = nextLine(lines);
    client.child.stdin!.write('go\n');
    const highs: number[] = [];
    const watch = setInterval(
      () => void mock.bound.memory().then((bytes) => highs.push(bytes)),
      250,
    );
    await done;
    clearInterval(watch);
    const told = await (await fetch(`${mock.control}/truth`)).json();
    const { lines: truths } = truthSchema.parse(told);
    const late = Float64Array.from(
      truths.flatMap(({ due, sent }) => due.map((instant, i) => sent[i]! - instant)),
    ).sort();
    if (late.length !== streams * tokens) throw new Error(`${late.length} tokens were told`);
    const early = late.filter((lateness) => lateness < 0).length;
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
        value: early,
        unit: '',
        bound: { kind: 'at most', value: 0 },
      },
      {
        what: 'memory for a stream above its idle connection',
        value: (Math.max(...highs) - idle) / streams / 1024,
        unit: 'KiB',
        bound: { kind: 'at most', value: 32 },
      },
    ];
  } finally {
    await client?.stop();
    await mock.bound.stop();
  }
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
  const bare = await startOn(0, ['bare-server.ts'], answer);
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
