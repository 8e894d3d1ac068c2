import autocannon from 'autocannon';
import { milliseconds } from '../model/quantity.ts';
import type { Row } from './bench.ts';
import { median } from './median.ts';
import { startMock } from './mock-under-bench.ts';
import { startOn } from './processes.ts';
import { chatHeaders, chatText, connections } from './small-chat.ts';

/** How many chats the mock answers, beside a server that does nothing else. */

/** Answers per second to one closed load of a hundred connections. */
const rateOf = async (url: string): Promise<number> => {
  const { requests, non2xx, errors } = await autocannon({
    url: `${url}/chat/completions`,
    method: 'POST',
    headers: chatHeaders,
    body: chatText,
    connections,
    duration: 3,
  });
  if (non2xx + errors > 0)
    throw new Error(`${non2xx} refused and ${errors} broken of ${requests.total}`);
  return requests.average;
};

export const benchChats = async (say: (text: string) => void): Promise<readonly Row[]> => {
  const mock = await startMock({
    ttft: milliseconds(0),
    gap: milliseconds(0),
    limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000 },
  });
  const answer = await (
    await fetch(`${mock.url}/chat/completions`, {
      method: 'POST',
      headers: chatHeaders,
      body: chatText,
    })
  ).text();
  const bare = await startOn(0, ['bare-server.ts'], { input: answer });
  const bareUrl = (JSON.parse(bare.line) as { url: string }).url;
  try {
    const ratios: number[] = [];
    const rates: number[] = [];
    // Until their code is compiled.
    for (const url of [bareUrl, mock.url]) await rateOf(url);
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
