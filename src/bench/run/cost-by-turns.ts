import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumOf } from '../../model/sums.ts';
import { atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';
import { benchApiKey, smallChatTraffic } from '../harness/chat-bytes.ts';
import { openEarlierVersion } from '../harness/earlier-version.ts';
import { runTimed } from '../harness/processes.ts';
import { launcherFlags, openTempFolder } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';

const rounds = 5;

interface ComparedLoad {
  readonly name: string;
  readonly kind: 'chat' | 'chat-stream';
  readonly users: number;
  readonly iterations: number;
  /** Of a stream: its tokens, and the time between two of them in ms. */
  readonly tokens: number;
  readonly gap: number;
}

const loads: readonly ComparedLoad[] = [
  { name: 'small chats', kind: 'chat', users: 16, iterations: 60_000, tokens: 0, gap: 0 },
  {
    name: 'streams of 20 paced chunks',
    kind: 'chat-stream',
    users: 100,
    iterations: 6000,
    tokens: 20,
    gap: 5,
  },
  {
    name: 'streams of 256 chunks in one write',
    kind: 'chat-stream',
    users: 100,
    iterations: 12_000,
    tokens: 256,
    gap: 0,
  },
];

/** The CPU of a whole run by the version in `root`, with the processes that it starts, in seconds. Throws if the run fails. */
const cpuOfRun = async (root: string, load: ComparedLoad, server: ChatServer): Promise<number> => {
  await using folder = await openTempFolder();
  const file = join(folder.path, 'scenario.json');
  const { kind, users, iterations } = load;
  const scenario = {
    name: 'turns',
    target: server.url,
    limits: 'none',
    warmUp: '0s',
    wire: { proxy: 'none' },
    traffic: [{ kind, model: smallChatTraffic.model, prompt: smallChatTraffic.prompt }],
    load: { kind: 'iterations', users, iterations },
  };
  await writeFile(file, JSON.stringify(scenario));
  const program = [process.execPath, ...launcherFlags, join(root, 'src/cli/weir.js')];
  const words = ['run', file, '--out', folder.path, '--no-history', '--quiet'];
  // Throws if the run does not end with 0: what failed in part is no measurement.
  return (await runTimed(1, ['env', `WEIR_API_KEY=${benchApiKey}`, ...program, ...words])).cpu;
};

/**
 * What a whole run costs beside an earlier version (ABBA in each round). The reference is how far the earlier version's
 * first runs are from its own second ones: where that breaks the bound, the machine was too uneven to decide.
 */
export const costByTurns: BenchPart = async (say) => {
  await using earlier = await openEarlierVersion();
  say(`compared with ${earlier.commit}`);
  const rows: BenchRow[] = [];
  for (const load of loads) {
    const { tokens, gap } = load;
    await using server = await startChatServer({ tokens, gap, certificate: null });
    const [own, first, second]: [number[], number[], number[]] = [[], [], []];
    for (let round = 1; round <= rounds; round += 1) {
      first.push(await cpuOfRun(earlier.root, load, server));
      own.push(await cpuOfRun('.', load, server), await cpuOfRun('.', load, server));
      second.push(await cpuOfRun(earlier.root, load, server));
      const [now, before] = [sumOf(own.slice(-2)), first.at(-1)! + second.at(-1)!];
      say(
        `${load.name}, round ${round}: ${now.toFixed(2)} s of CPU, before ${before.toFixed(2)} s`,
      );
    }
    const drift = sumOf(second) / sumOf(first);
    const what = `${load.iterations} ${load.name}: CPU of whole runs, against the version before`;
    const ratio = sumOf(own) / (sumOf(first) + sumOf(second));
    rows.push({
      ...benchRow(what, '×', ratio, atMost(1.05)),
      reference: Math.max(drift, 1 / drift),
    });
  }
  return rows;
};
