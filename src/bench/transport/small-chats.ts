import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { atLeast, type BenchPart, benchRow, type BenchRow, takeTurns } from '../harness/bench.ts';
import { smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';
import { runPinned, runTimed } from '../harness/processes.ts';
import { openTempFolder } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import type { ClosedClient, ClosedClientOptions, ClosedLoopThroughput } from './closed-client.ts';
import { loop, measureRun } from './run-throughput.ts';

const rounds = 2;

const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
const wrkInstallHint = 'wrk is not installed (apt-get install wrk)';

/** JSON strings are Lua strings, as long as they need no escape that only one of them has. */
const wrkScript = `
wrk.method = 'POST'
wrk.body = ${JSON.stringify(smallChatJson)}
${Object.entries(smallChatHeaders)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}
function done(summary)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  print(string.format('TOTAL %d %d %d', summary.requests, summary.duration, failed))
end
`;

/** Runs wrk, a closed loop in C, with one thread. Throws if requests failed. */
const measureWrk = async (url: string): Promise<ClosedLoopThroughput> => {
  await using folder = await openTempFolder();
  const file = join(folder.path, 'chat.lua');
  await writeFile(file, wrkScript);
  const words = ['-t1', `-c${loop.connections}`, `-d${loop.seconds}s`, '-s', file];
  const { stdout, cpu } = await runTimed(1, ['wrk', ...words, `${url}/chat/completions`]);
  const [, requests, microseconds, failed] = /TOTAL (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
  if (failed !== '0') throw new Error(`wrk: ${failed ?? 'all'} requests failed\n${stdout}`);
  const seconds = Number(microseconds) / 1e6;
  return { requests: Number(requests), seconds, cpu };
};

const measureClient = (client: Client, url: string): Promise<ClosedLoopThroughput> => {
  if (client === 'wrk') return measureWrk(url);
  if (client === 'run') return measureRun(url, 'closed');
  if (client === 'saturate') return measureRun(url, 'saturate');
  const options: ClosedClientOptions = { url, client, calls: 'chat', rampUp: 0, ...loop };
  return runPinned(1, 'bench/transport/closed-client.ts', options);
};

type Client = ClosedClient | 'wrk' | 'run' | 'saturate';

const names: Readonly<Record<Client, string>> = {
  net: 'a bare socket',
  socket: 'socket',
  undici: 'undici',
  run: 'weir run by socket',
  saturate: 'weir run, saturate',
  autocannon: 'autocannon',
  wrk: 'wrk with one thread',
  fetch: 'fetch',
  openai: 'the openai client',
};

/** Candidate, rival, and the least ratio by the second (if bounded) and by the second of CPU. */
const comparisons: readonly (readonly [Client, Client, number | null, number])[] = [
  ['socket', 'autocannon', null, 1.5],
  ['run', 'autocannon', 0.7, 0.7],
  ['run', 'wrk', 0.3, 0.3],
  ['run', 'fetch', 15, 15],
  ['run', 'openai', 25, 25],
  ['saturate', 'run', null, 1],
];

const figures = {
  '': ({ requests, seconds }: ClosedLoopThroughput) => requests / seconds,
  ' per second of CPU': ({ requests, cpu }: ClosedLoopThroughput) => requests / cpu,
} as const;
type Per = keyof typeof figures;

/**
 * How many small chats one process sends and reads: `weir run` and our transports alone, beside widely used clients
 * and the minimal Node client. The best round of each counts: other load on the machine only takes away.
 */
export const measureSmallChats: BenchPart = async (say) => {
  if (!hasWrk) say(`not measured: ${wrkInstallHint}`);
  const clients = (Object.keys(names) as Client[]).filter((client) => client !== 'wrk' || hasWrk);
  await using server = await startChatServer({ gap: 0, tokens: 0, certificate: null });
  const measured: Partial<Record<Client, readonly ClosedLoopThroughput[]>> = await takeTurns(say, {
    title: 'small chats',
    rounds,
    candidates: clients,
    measure: (client) => measureClient(client, server.url),
    describe: (each) =>
      `${Math.round(figures[''](each))}/s, ${(1e6 / figures[' per second of CPU'](each)).toFixed(1)} µs of CPU each`,
  });
  const best = (client: Client, per: Per): number =>
    Math.max(...(measured[client]?.map(figures[per]) ?? [Number.NaN]));
  const ratioRow = (own: Client, other: Client, per: Per, least: number | null): BenchRow => {
    const missing = measured[other] ? '' : `; not measured: ${wrkInstallHint}`;
    const what = `${names[own]} against ${names[other]}${per}${missing}`;
    const rival = best(other, per);
    const row = benchRow(what, '×', best(own, per) / rival, least === null ? null : atLeast(least));
    return { ...row, reference: best('net', per) / rival };
  };
  return [
    ...clients.map((client) => benchRow(`small chats by ${names[client]}`, '/s', best(client, ''))),
    ...comparisons.flatMap(([own, other, bySecond, byCpu]) => [
      ratioRow(own, other, '', bySecond),
      ratioRow(own, other, ' per second of CPU', byCpu),
    ]),
  ];
};
