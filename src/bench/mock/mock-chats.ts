import autocannon from 'autocannon';
import { milliseconds } from '../../model/quantity.ts';
import { atLeast, type BenchPart, benchRow } from '../harness/bench.ts';
import { smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';
import { startPinned } from '../harness/processes.ts';
import { alternate, median } from '../harness/statistics.ts';
import { startPinnedMock } from './pinned-mock.ts';

/** In seconds, until the code of each server is compiled. */
const warmUp = 4;
/** One second each, alternating, since the speed of the processor changes from one second to the next. */
const rounds = 15;

const request = { method: 'POST', headers: smallChatHeaders, body: smallChatJson } as const;

/** Answers per second to a closed load. */
const measureRate = async (url: string, duration: number): Promise<number> => {
  const result = await autocannon({ url, ...request, connections: 100, duration });
  const { requests, non2xx, errors } = result;
  if (non2xx + errors > 0)
    throw new Error(`${non2xx} refused and ${errors} broken of ${requests.total} requests`);
  return requests.total / result.duration;
};

/** How many chats the mock answers, against a server that does nothing else. */
export const measureMockChats: BenchPart = async (say) => {
  await using mock = await startPinnedMock({
    ttft: milliseconds(0),
    gap: milliseconds(0),
    limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000 },
  });
  const mockUrl = `${mock.url}/chat/completions`;
  const answer = await (await fetch(mockUrl, request)).text();
  await using bare = await startPinned(0, ['bench/harness/bare-server.ts'], answer);
  const bareUrl = `http://127.0.0.1:${bare.line}/v1/chat/completions`;
  for (const url of [bareUrl, mockUrl]) await measureRate(url, warmUp);
  const rates = await alternate(rounds, [bareUrl, mockUrl], (url) => measureRate(url, 1));
  const [bareRates, mockRates] = [rates.get(bareUrl)!, rates.get(mockUrl)!];
  const ratios = mockRates.map((rate, round) => rate / bareRates[round]!);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  say(`chats, alternating: ${least.toFixed(2)} to ${most.toFixed(2)} × bare node:http`);
  const what = `chats answered, limits and ledger on, median of ${rounds} seconds`;
  return [
    { ...benchRow(what, median(mockRates), '/s'), reference: median(bareRates) },
    benchRow(
      'the same against bare node:http, second by second',
      median(ratios),
      '×',
      atLeast(0.4),
    ),
  ];
};
