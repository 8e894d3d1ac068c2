import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { measuredWindow } from '../../model/result/summary.ts';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atLeast, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';
import { smallChatHeaders, smallChatJson, smallChatTraffic } from '../harness/chat-bytes.ts';
import { pinnedTo, runPinned, runToEnd } from '../harness/processes.ts';
import { runWeir } from '../harness/run-weir.ts';
import { startChatServer } from '../harness/start-chat-server.ts';
import { alternate } from '../harness/statistics.ts';
import type { ClosedClient, ClosedClientOptions, ClosedLoopThroughput } from './closed-client.ts';

const rounds = 2;
const loop = { connections: 100, warmUp: 4, seconds: 2 } as const;

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

/** CPU seconds of a shell's children, from the second line of its `times`: `0m1.25s 0m0.70s`. */
const childrenCpu = (stdout: string): number => {
  const spans = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  return spans.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
};

/** Runs wrk, a closed loop in C, with one thread. Throws if requests failed. */
const measureWrk = async (url: string): Promise<ClosedLoopThroughput> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  try {
    const file = join(folder, 'chat.lua');
    await writeFile(file, wrkScript);
    const words = ['wrk', '-t1', `-c${loop.connections}`, `-d${loop.seconds}s`, '-s', file];
    const shell = ['sh', '-c', '"$@"; times', 'sh', ...words, `${url}/chat/completions`] as const;
    const { stdout } = await runToEnd(pinnedTo(1, shell));
    const [, requests, microseconds, failed] = /TOTAL (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
    if (failed !== '0') throw new Error(`wrk: ${failed ?? 'all'} requests failed\n${stdout}`);
    const seconds = Number(microseconds) / 1e6;
    return { requests: Number(requests), seconds, cpu: childrenCpu(stdout) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The chats by `weir run`, with everything that a run records, in the seconds after the warm-up. */
const measureRun = async (target: string): Promise<ClosedLoopThroughput> => {
  const { connections: users, warmUp, seconds } = loop;
  const result = await runWeir({
    name: 'small-chats',
    target,
    transport: 'socket',
    traffic: [{ kind: 'chat', ...smallChatTraffic }],
    // The last second is incomplete and has no sample of the generator.
    load: { kind: 'closed', users, duration: `${warmUp + seconds + 1}s` },
    warmUp: `${warmUp}s`,
  });
  const { completed, ...others } = sumOutcomes(result.groups);
  const failed = Object.values(others).reduce((sum, count) => sum + count, 0);
  if (failed > 0) throw new Error(`${failed} of ${failed + completed} requests of weir failed`);
  const window = measuredWindow(result)?.timeline.slice(0, seconds) ?? [];
  const cpuOf = (second: number): number =>
    result.slices[0]?.generator.find((sample) => sample.second === second)?.cpu ?? Number.NaN;
  return {
    requests: window.reduce((sum, { ended }) => sum + ended, 0),
    seconds: window.length,
    cpu: window.reduce((sum, { second }) => sum + cpuOf(second), 0),
  };
};

const measureClient = (client: Client, url: string): Promise<ClosedLoopThroughput> => {
  if (client === 'wrk') return measureWrk(url);
  if (client === 'run') return measureRun(url);
  const options: ClosedClientOptions = { url, client, ...loop };
  return runPinned(1, 'bench/transport/closed-client.ts', options);
};

type Client = ClosedClient | 'wrk' | 'run';

const names: Readonly<Record<Client, string>> = {
  net: 'a bare socket',
  socket: 'socket',
  undici: 'undici',
  run: 'weir run by socket',
  autocannon: 'autocannon',
  wrk: 'wrk with one thread',
  fetch: 'fetch',
  openai: 'the openai client',
};

/** Candidate, rival, and the least ratio by the second (if bounded) and by the second of CPU. */
const comparisons: readonly (readonly [Client, Client, number | null, number])[] = [
  ['socket', 'autocannon', null, 1.5],
  ['run', 'autocannon', 1.5, 1.5],
  ['run', 'wrk', 0.6, 0.6],
  ['run', 'fetch', 15, 15],
  ['run', 'openai', 25, 25],
];

const perSecond = ({ requests, seconds }: ClosedLoopThroughput): number => requests / seconds;
const perCpuSecond = ({ requests, cpu }: ClosedLoopThroughput): number => requests / cpu;

/**
 * How many small chats one process sends and reads: `weir run` and our transports alone, beside widely used clients
 * and the minimal Node client. They alternate; the best round of each counts: other load on the machine only takes away.
 */
export const measureSmallChats: BenchPart = async (say) => {
  if (!hasWrk) say(`not measured: ${wrkInstallHint}`);
  const clients = (Object.keys(names) as Client[]).filter((client) => client !== 'wrk' || hasWrk);
  await using server = await startChatServer({ gap: 0, tokens: 0, certificate: null });
  const throughputs = await alternate(rounds, clients, async (client, round) => {
    const measured = await measureClient(client, server.url);
    const cpu = (1e6 / perCpuSecond(measured)).toFixed(1);
    say(`round ${round}: ${client} ${Math.round(perSecond(measured))}/s, ${cpu} µs of CPU each`);
    return measured;
  });
  const best = (client: Client, figure: typeof perSecond): number =>
    Math.max(...(throughputs.get(client)?.map(figure) ?? [Number.NaN]));
  const ratioRow = (own: Client, other: Client, figure: typeof perSecond): BenchRow => {
    const suffix = figure === perSecond ? '' : ' per second of CPU';
    const missing = other === 'wrk' && !hasWrk ? `; not measured: ${wrkInstallHint}` : '';
    const what = `${names[own]} against ${names[other]}${suffix}${missing}`;
    const reference = best('net', figure) / best(other, figure);
    return { ...benchRow(what, best(own, figure) / best(other, figure), '×'), reference };
  };
  return [
    ...clients.map((client) =>
      benchRow(`small chats by ${names[client]}`, best(client, perSecond), '/s'),
    ),
    ...comparisons.flatMap(([own, other, bySecond, byCpu]) => [
      {
        ...ratioRow(own, other, perSecond),
        bound: bySecond === null ? null : atLeast(bySecond),
      },
      { ...ratioRow(own, other, perCpuSecond), bound: atLeast(byCpu) },
    ]),
  ];
};
