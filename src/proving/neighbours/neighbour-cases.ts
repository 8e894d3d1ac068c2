import type { FairnessReport } from '../../verbs/fairness/model/fairness-report.ts';
import { roomFile } from '../harness/installed.ts';
import {
  freePort,
  provingKeys,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../harness/server-process.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';

/** Servers before which a quiet population and a noisy one meet. */

/** Starts streams of 200 ms by four workers: for each key, for all in one queue, or for all with the keys in turns. */
const startQueues = (
  kind: 'key' | 'shared' | 'turns',
  { port, log }: Pick<ServerOptions, 'port' | 'log'>,
): Promise<RunningServer> =>
  startServer({
    command: ['python3', roomFile('neighbours/queue_server.py'), kind, String(port), log],
    port,
  });

export interface NeighbourCase {
  readonly name: string;
  /** What its construction rules out. */
  readonly never: FairnessReport['verdict'];
  readonly start: (options: ServerOptions) => Promise<RunningServer>;
}

/** LiteLLM's proxy with so many requests of each key in two seconds, before one queue for all. */
const liteLlm =
  (requestsPerWindow: number): NeighbourCase['start'] =>
  async (options) => {
    const port = await freePort();
    const queue = await startQueues('shared', { port, log: `${options.folder}/queue.log` });
    const proxy = await startLiteLlm({
      ...options,
      upstream: `127.0.0.1:${port}`,
      requestsPerWindow,
      tokensPerWindow: 1_000_000,
      window: 2000,
    }).catch(async (error: unknown) => {
      await queue.stop();
      throw error;
    });
    const stop = async (): Promise<void> => {
      await proxy.stop();
      await queue.stop();
    };
    return { ...proxy, stop };
  };

export const neighbourCases: readonly NeighbourCase[] = [
  {
    name: 'a queue for each key',
    never: 'moved',
    start: (options) => startQueues('key', options),
  },
  {
    name: 'one queue for all',
    never: 'isolated',
    start: (options) => startQueues('shared', options),
  },
  {
    // A request of the quiet one is the next to begin, but the noise has all four workers.
    name: 'keys in turns',
    never: 'isolated',
    start: (options) => startQueues('turns', options),
  },
  {
    name: 'LiteLLM without limits, before one queue',
    never: 'isolated',
    start: liteLlm(1_000_000),
  },
  {
    // A window admits 16 requests of the noise at once, which wait in the same queue.
    name: 'LiteLLM with limits of each key, before one queue',
    never: 'isolated',
    start: liteLlm(16),
  },
];

/** A quiet population of 4 requests a second, and 20 users, who ask for more than four workers can serve. */
export const neighboursAt = (target: string): object => ({
  name: 'neighbours',
  target,
  warmUp: '0s',
  limits: 'none',
  wire: { proxy: 'none' },
  traffic: [{ kind: 'chat-stream', model: 'proving/small', prompt: 'hi', maxTokens: 2 }],
  populations: [
    {
      name: 'quiet',
      keys: [{ name: 'quiet', key: '${env:KEY_0}' }],
      load: { kind: 'poisson', rate: '4/s', duration: '1m' },
    },
    {
      name: 'noisy',
      keys: [{ name: 'noisy', key: '${env:KEY_1}' }],
      load: { kind: 'closed', users: 20, thinkTime: '500ms', duration: '1m' },
    },
  ],
});

export const neighbourKeys = { KEY_0: provingKeys[0], KEY_1: provingKeys[1] };
