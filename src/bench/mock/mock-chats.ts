import autocannon from 'autocannon';
import { milliseconds } from '../../model/quantity.ts';
import { atLeast, type BenchPart, benchRow, rowsBeside, takeTurns } from '../harness/bench.ts';
import { smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';
import { startPinned } from '../harness/processes.ts';
import { median } from '../harness/statistics.ts';
import { startPinnedMock } from './pinned-mock.ts';

/** In seconds, until the code of each server is compiled. */
const warmUp = 4;
/** One second each, since the speed of the processor changes from one second to the next. */
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
  await using server = await startPinnedMock({
    ttft: milliseconds(0),
    gap: milliseconds(0),
    limits: { requestsPerMinute: 1_000_000_000, tokensPerMinute: 1_000_000_000_000 },
  });
  const mockUrl = `${server.url}/chat/completions`;
  const answer = await (await fetch(mockUrl, request)).text();
  await using bareServer = await startPinned(0, ['bench/harness/bare-server.ts'], answer);
  const urls = { bare: `http://127.0.0.1:${bareServer.line}/v1/chat/completions`, mock: mockUrl };
  for (const url of Object.values(urls)) await measureRate(url, warmUp);
  const { bare, mock } = await takeTurns(say, {
    rounds,
    candidates: ['bare', 'mock'],
    measure: (name) => measureRate(urls[name], 1),
  });
  const ratios = mock.map((rate, round) => rate / bare[round]!);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  say(`chats, alternating: ${least.toFixed(2)} to ${most.toFixed(2)} × bare node:http`);
  const what = `chats answered, limits and ledger on, median of ${rounds} seconds`;
  const ratio = 'the same against bare node:http, second by second';
  return [
    rowsBeside(mock, bare)(what, '/s', median),
    benchRow(ratio, '×', median(ratios), atLeast(0.4)),
  ];
};
