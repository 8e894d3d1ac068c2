import { setTimeout as sleep } from 'node:timers/promises';
import { atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { exactCpuOf, hasEnded } from '../harness/processes.ts';
import { startWeirRun, streamScenario } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { median } from '../harness/statistics.ts';

const gap = 50;
const tokens = 10;
/** In seconds. A turn is as long as the checkpoint of a run that nobody watches needs to come once. */
const warmUp = 8;
const turn = 5;
const pairs = 12;

/** Opens the updates of a live page and reads them until the returned function is called. */
const watchPage = (address: string): (() => void) => {
  const controller = new AbortController();
  const read = async (): Promise<void> => {
    const { body } = await fetch(`${address}events`, { signal: controller.signal });
    for await (const _ of body ?? []);
  };
  read().catch(() => undefined);
  return () => controller.abort();
};

/** CPU of a process over a turn, in percent of a core. */
const cpuOfTurn = async (pid: number | undefined): Promise<number> => {
  // What the last turn has begun is not this one's.
  await sleep(300);
  const [begun, before] = [performance.now(), await exactCpuOf(pid)];
  await sleep(turn * 1000);
  const used = (await exactCpuOf(pid)) - before;
  return (used / (performance.now() - begun)) * 100_000;
};

/**
 * What a live page costs the process of the load generator while somebody looks. A reader comes and goes within one run: two runs differ
 * by more than that.
 */
const livePageBench =
  (rate: number): BenchPart =>
  async (say) => {
    await using server = await startChatServer({ gap, tokens, certificate: null });
    const seconds = warmUp + pairs * 2 * (turn + 1) + 30;
    const load = { kind: 'constant', rate: `${rate}/s`, duration: `${seconds}s` };
    await using run = await startWeirRun(
      streamScenario({ target: server.url, load, transport: 'socket' }),
      { isLive: true, cores: '0,1' },
    );
    while ((await server.count()).begun === 0) {
      if (hasEnded(run.child)) throw new Error('the run ended before its first stream');
      await sleep(20);
    }
    await sleep(warmUp * 1000);
    const differences: number[] = [];
    const without: number[] = [];
    for (let pair = 1; pair <= pairs; pair += 1) {
      const alone = await cpuOfTurn(run.child.pid);
      const leave = watchPage(run.livePage());
      const watched = await cpuOfTurn(run.child.pid);
      leave();
      differences.push(watched - alone);
      without.push(alone);
      say(
        `live page at ${rate}/s, turn ${pair}: ${alone.toFixed(2)} % of a core, watched ${watched.toFixed(2)}`,
      );
    }
    const title = `streamed chats of ${tokens} tokens at ${rate}/s`;
    return [
      benchRow(
        `${title}: CPU of the generator's process, its live page not watched`,
        '%',
        median(without),
      ),
      benchRow(
        `${title}: what a reader of its live page adds`,
        '%',
        median(differences),
        atMost(1),
      ),
    ];
  };

export const livePageCost: readonly BenchPart[] = [livePageBench(10), livePageBench(100)];
