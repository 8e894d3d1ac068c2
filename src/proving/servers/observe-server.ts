import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import type { Result } from '../../model/result/result.ts';
import { roomFile } from '../harness/installed.ts';
import { outputOf } from '../harness/program-output.ts';
import { runScenario } from '../harness/run-scenario.ts';
import { type LoggedRequest, readServerLog } from '../harness/server-log.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import { type ClientTimes, type ComparedMedian, compareMedians } from './client-times.ts';
import { serverPackages } from './model-servers.ts';
import type { ServerCase, ServerTokens, StartedServer } from './server-case.ts';
import { compareWithServerLog, isOfRun, tokensOf } from './server-counts.ts';

export interface ObservedServer {
  readonly server: string;
  readonly version: string;
  /** Exit code of `weir run`. */
  readonly code: number | null;
  readonly trust: string;
  readonly sent: number;
  readonly completed: number;
  /** Weir's requests in the server's own log; `null` if it has none. */
  readonly logged: number | null;
  /** Differences between what Weir and the server counted, one sentence each. */
  readonly differences: readonly string[];
  /** Requests that went once more on another connection. */
  readonly reconnected: number;
  readonly medians: readonly ComparedMedian[];
  /** The independent client's requests. */
  readonly clientAnswered: number;
  readonly clientFailed: number;
}

/** How long the independent client sends, in s. */
const clientSeconds = 7;

const runClient = async (server: ServerCase, url: string): Promise<ClientTimes> => {
  const { model, maxTokens } = server;
  const words = [url, provingKeys[1], model, String(clientSeconds), String(maxTokens)];
  const env = { PYTHONPATH: await serverPackages() };
  const { stdout } = await outputOf('python3', [roomFile('servers/client/client.py'), ...words], {
    env,
  });
  return JSON.parse(stdout) as ClientTimes;
};

/** Runs a scenario by the real program, beside the independent client. */
const runBoth = async (server: ServerCase, { url }: StartedServer, folder: string) => {
  const [{ code, result }, times] = await Promise.all([
    runScenario({ target: url, ...server.scenario }, folder),
    runClient(server, url),
  ]);
  return { code, result, times };
};

/** What a run and its server's own metrics count differently in tokens, one sentence each; the client sends the same prompt. */
const compareTokens = async (
  result: Result,
  { countTokens }: StartedServer,
  before: ServerTokens | undefined,
  { answered, ttft, gap }: ClientTimes,
): Promise<readonly string[]> => {
  if (countTokens === undefined || before === undefined) return [];
  const after = await countTokens();
  const own = tokensOf(result);
  const completed = result.groups.reduce((sum, { outcomes }) => sum + outcomes.completed, 0);
  const counted: ServerTokens = {
    input: after.input - before.input - (own.input / completed) * answered,
    output: after.output - before.output - ttft.length - gap.length,
  };
  return (['input', 'output'] as const).flatMap((side) =>
    own[side] === counted[side]
      ? []
      : [`${own[side]} ${side} tokens, ${counted[side]} by the server's own metrics`],
  );
};

/** Reads a log until it has as many requests of the run as were sent, for 3 s at most: some servers write it late. */
const readWhole = async (
  read: () => Promise<readonly LoggedRequest[]>,
  sent: number,
): Promise<readonly LoggedRequest[]> => {
  const patience = Date.now() + 3000;
  let requests = await read();
  while (requests.filter(isOfRun).length < sent && Date.now() < patience) {
    await setTimeout(50);
    requests = await read();
  }
  return requests;
};

/**
 * Runs Weir and an independent client against a server of others, and compares their counts and times. Throws
 * `Unavailable` if the server cannot be had here.
 */
export const observeServer = async (server: ServerCase): Promise<ObservedServer> => {
  await serverPackages();
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const log = join(own.path, 'requests.log');
  const started = await server.start({ port: await freePort(), folder: own.path, log });
  try {
    const before = await started.countTokens?.();
    const { code, result, times } = await runBoth(server, started, own.path);
    const differences = [...(await compareTokens(result, started, before, times))];
    let logged: number | null = null;
    if (server.hasLog) {
      const sent = result.groups.reduce((total, group) => total + group.sent, 0);
      const read = async () => (await started.readRequests?.()) ?? (await readServerLog(log));
      const requests = await readWhole(read, sent);
      logged = requests.filter(isOfRun).length;
      differences.push(...compareWithServerLog(result, requests));
    }
    const sum = (count: (group: Result['groups'][number]) => number): number =>
      result.groups.reduce((total, group) => total + count(group), 0);
    return {
      server: server.name,
      version: started.version,
      code,
      trust: judgeTrust(result).level,
      sent: sum((group) => group.sent),
      completed: sum(({ outcomes }) => outcomes.completed),
      reconnected: sum((group) => group.reconnected ?? 0),
      logged,
      differences,
      medians: compareMedians(result, times),
      clientAnswered: times.answered,
      clientFailed: times.failed,
    };
  } finally {
    await started.stop();
  }
};
