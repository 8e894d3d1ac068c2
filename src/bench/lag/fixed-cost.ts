import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type BenchPart, rowsBeside, takeTurns } from '../harness/bench.ts';
import { cpuOf, hasEnded, ownCpuOf, runPinned } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';
import { median, sustainsRate } from '../harness/statistics.ts';
import type { BareStarts, BareStartsOptions } from './bare-starts.ts';

const rounds = 3;
/** Between two tokens of a stream, in ms. */
const gap = 50;
const tokens = 10;
/** In whole seconds. The warm-up is long, until the code of so few requests is compiled. */
const warmUp = 5;
const window = 15;

/** What a client did in the window. */
interface Cost {
  /** CPU of its process and its children, in percent of a core. */
  readonly whole: number;
  /** The same of the process alone. */
  readonly own: number;
  readonly isUsable: boolean;
}

const percent = (cpu: number): number => (cpu / window) * 100;

const measureBare = async (rate: number, { port }: ChatServer): Promise<Cost> => {
  const streamSeconds = (tokens * gap) / 1000;
  const options: BareStartsOptions = {
    port,
    rate,
    streamSeconds,
    warmUp,
    wakes: 'when due',
    // Every start begins a stream.
    streams: rate * streamSeconds,
    inFlight: 10_000,
    rampSeconds: 0,
    seconds: window,
  };
  const bare = await runPinned<BareStarts>(1, 'bench/lag/bare-starts.ts', options);
  const isUsable = sustainsRate(bare.tokens / window, rate * tokens);
  return { whole: percent(bare.cpu), own: percent(bare.cpu), isUsable };
};

/** The cost between two seconds of one run: its start and its end are apart. */
const measureRun = async (rate: number, server: ChatServer): Promise<Cost> => {
  const { begun } = await server.count();
  const load = { kind: 'constant', rate: `${rate}/s`, duration: `${warmUp + window + 10}s` };
  await using run = await startWeirRun(
    streamScenario({ target: server.url, load, transport: 'socket' }),
  );
  const read = async () => ({
    whole: await cpuOf(run.child.pid),
    own: await ownCpuOf(run.child.pid),
    events: (await server.count()).events,
  });
  while ((await server.count()).begun === begun) {
    if (hasEnded(run.child)) throw new Error('the run ended before its first stream');
    await sleep(20);
  }
  await sleep(warmUp * 1000);
  const before = await read();
  await sleep(window * 1000);
  const after = await read();
  return {
    whole: percent(after.whole - before.whole),
    own: percent(after.own - before.own),
    isUsable: sustainsRate((after.events - before.events) / window, rate * tokens),
  };
};

const clients = { bare: measureBare, weir: measureRun };

/** What a run costs at a rate that hardly needs it, self-test streams included, beside a bare process that does the same requests; `most` in percent of a core. */
const fixedCostBench =
  (rate: number, most: number): BenchPart =>
  async (say) => {
    const title = `streamed chats of ${tokens} tokens at ${rate}/s`;
    await using server = await startChatServer({ gap, tokens, certificate: null });
    const { bare, weir } = await takeTurns(say, {
      title,
      rounds,
      candidates: ['bare', 'weir'],
      measure: (name) => clients[name](rate, server),
      describe: ({ whole, own, isUsable }) =>
        `${whole.toFixed(2)} % of a core, of it its children ${(whole - own).toFixed(2)}${isUsable ? '' : ', too slow to count'}`,
    });
    const row = rowsBeside(weir, bare);
    const medianOf = (name: 'whole' | 'own') => (costs: readonly Cost[]) =>
      median(costs.filter(({ isUsable }) => isUsable).map((cost) => cost[name]));
    return [
      row(`${title}: CPU with the self-test's process`, '%', medianOf('whole'), atMost(most)),
      row(`${title}: CPU of the generator's process alone`, '%', medianOf('own')),
    ];
  };

export const fixedCost: readonly BenchPart[] = [fixedCostBench(10, 3), fixedCostBench(100, 6)];
