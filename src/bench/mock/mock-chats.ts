import autocannon from 'autocannon';
import { milliseconds } from '../../model/quantity.ts';
import type { BenchRow } from '../harness/bench.ts';
import { median } from '../harness/median.ts';
import { startPinnedMock } from './start-pinned-mock.ts';
import { startPinned } from '../harness/pinned-processes.ts';
import { smallChatHeaders, smallChatJson, closedLoopConnections } from '../harness/small-chat.ts';

/** How many chats the mock answers, beside a server that does nothing else. */

/** In whole seconds: until the code of either is compiled. */
const warmUp = 4;

/** One second each by turns, since the processor's speed changes from one second to the next. */
const rounds = 15;

/** Answers per second to one closed load of a hundred connections. */
const measureRate = async (url: string, seconds: number): Promise<number> => {
  const { requests, duration, non2xx, errors } = await autocannon({
    url: `${url}/chat/completions`,
    method: 'POST',
    headers: smallChatHeaders,
    body: smallChatJson,
    connections: closedLoopConnections,
    duration: seconds,
  });
  if (non2xx + errors > 0)
    throw new Error(`${non2xx} refused and ${errors} broken of ${requests.total}`);
  return requests.total / duration;
};

export const benchChats = async (say: (text: string) => void): Promise<readonly BenchRow[]> => {
  const mock = await startPinnedMock({
    ttft: milliseconds(0),
    gap: milliseconds(0),
    limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000 },
  });
  const answer = await (
    await fetch(`${mock.url}/chat/completions`, {
      method: 'POST',
      headers: smallChatHeaders,
      body: smallChatJson,
    })
  ).text();
  const bare = await startPinned(0, ['bare-server.ts'], { input: answer });
  const bareUrl = (JSON.parse(bare.line) as { url: string }).url;
  try {
    const ratios: number[] = [];
    const rates: number[] = [];
    const references: number[] = [];
    for (const url of [bareUrl, mock.url]) await measureRate(url, warmUp);
    for (let round = 0; round < rounds; round += 1) {
      const reference = await measureRate(bareUrl, 1);
      const rate = await measureRate(mock.url, 1);
      references.push(reference);
      rates.push(rate);
      ratios.push(rate / reference);
    }
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    say(`chats by turns: ${least.toFixed(2)} to ${most.toFixed(2)} × bare node:http`);
    return [
      {
        what: `chats answered, limits and ledger on, median of ${rounds} seconds`,
        value: median(rates),
        ruler: median(references),
        unit: '/s',
        bound: null,
      },
      {
        what: 'the same against bare node:http, second by second',
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
