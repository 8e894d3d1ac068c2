import { availableParallelism } from 'node:os';
import { atLeast, type BenchPart, benchRow, takeTurns } from '../harness/bench.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median } from '../harness/statistics.ts';
import type { ClosedLoopThroughput } from './closed-client.ts';
import { measureRun } from './run-throughput.ts';

const rounds = 5;

/** Whether two workers have a core each and the server its own. */
const hasEnoughCores = availableParallelism() >= 3;
const cores = hasEnoughCores ? '1,2' : '0,1';

/** How many small chats two workers of one run get done in the time in which one worker does one. */
export const measureWorkers: BenchPart = async (say) => {
  await using server = await startChatServer({ gap: 0, tokens: 0, certificate: null });
  const perSecond = ({ requests, seconds }: ClosedLoopThroughput): number => requests / seconds;
  const { one, two } = await takeTurns(say, {
    title: 'workers',
    rounds,
    candidates: ['one', 'two'],
    measure: (name) => measureRun(server.url, 'closed', { workers: name === 'one' ? 1 : 2, cores }),
    describe: (each) =>
      `${Math.round(perSecond(each))}/s, ${(each.cpu / each.seconds).toFixed(2)} of a core`,
  });
  const place = hasEnoughCores
    ? 'a core each and one for the server'
    : 'two cores, which they share with the server';
  const ratios = two.map((each, round) => perSecond(each) / perSecond(one[round]!));
  const what = `small chats per second by two workers against one (${place}), median of ${rounds} rounds`;
  return [benchRow(what, '×', median(ratios), hasEnoughCores ? atLeast(1.6) : null)];
};
