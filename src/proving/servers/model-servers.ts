import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { milliseconds } from '../../model/quantity.ts';
import { installedPython, outputOf, pinnedIn, roomFile } from '../harness/installed.ts';
import { startServer } from '../harness/server-process.ts';
import { startUpstream } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import type { ServerCase, ServerOptions, StartedServer, ServerTokens } from './server-case.ts';

/** Servers with an interface of their own: LiteLLM's proxy and llama.cpp's server. */

const requirements = 'servers/requirements.txt';

/** The folder of the Python packages of this folder. */
export const serverPackages = (): Promise<string> => installedPython('servers', requirements);

const startProxy = async (options: ServerOptions): Promise<StartedServer> => {
  const gateway = await startUpstream({ ttft: milliseconds(80), gap: milliseconds(12) });
  try {
    const running = await startLiteLlm({
      ...options,
      upstream: new URL(gateway.url).host,
      requestsPerWindow: 1_000_000,
      tokensPerWindow: 1_000_000_000,
      window: 60_000,
    });
    const stop = async (): Promise<void> => {
      await running.stop();
      await gateway.close();
    };
    const version = await pinnedIn('limiters/litellm/requirements.txt', /^litellm==(.+)$/m);
    return { url: running.url, version, stop };
  } catch (error) {
    await gateway.close();
    throw error;
  }
};

/** How often llama.cpp is asked whether its model is loaded, and the interval in ms. */
const loadAttempts = 600;
const loadInterval = 100;

const isReady = async (url: string): Promise<boolean> =>
  (await fetch(new URL('/health', url))).status === 200;

const startLlama = async ({ port, folder }: ServerOptions): Promise<StartedServer> => {
  const env = { PYTHONPATH: await serverPackages() };
  const model = join(folder, 'random.gguf');
  await outputOf('python3', [roomFile('servers/llama/make_model.py'), model], { env });
  const serve = roomFile('servers/llama/serve.py');
  const command = ['python3', serve, model, String(port)] as const;
  const running = await startServer({ command, port, env });
  // It listens before its model is loaded.
  for (let attempt = 0; !(await isReady(running.url)); attempt += 1) {
    if (attempt === loadAttempts) {
      await running.stop();
      throw new Error('llama.cpp did not load its model within a minute');
    }
    await sleep(loadInterval);
  }
  const metric = (text: string, name: string): number =>
    Number(new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const countTokens = async (): Promise<ServerTokens> => {
    const text = await (await fetch(new URL('/metrics', running.url))).text();
    const read = ['prompt_tokens_total', 'prompt_tokens_cached_total'].map((name) =>
      metric(text, name),
    );
    return {
      input: read.reduce((sum, tokens) => sum + tokens, 0),
      output: metric(text, 'tokens_predicted_total'),
    };
  };
  return { ...running, version: await pinnedIn(requirements, /^xllamacpp==(.+)$/m), countTokens };
};

const chats = (model: string, maxTokens: number) => [
  { kind: 'chat-stream', model, prompt: 'hello there', maxTokens, weight: 3 },
  { kind: 'chat', model, prompt: 'hello there', maxTokens, weight: 1 },
];

const wire = { proxy: 'none' };

export const modelServers: readonly ServerCase[] = [
  {
    name: 'LiteLLM proxy',
    start: startProxy,
    model: 'proving/small',
    maxTokens: 20,
    hasLog: true,
    scenario: {
      wire,
      traffic: [...chats('proving/small', 20), { kind: 'models', weight: 1 }],
      load: { kind: 'constant', rate: '4/s', duration: '10s' },
    },
  },
  ...(['closed', 'open'] as const).map((load) => ({
    name: `llama.cpp, ${load} load`,
    start: startLlama,
    model: 'random',
    maxTokens: 16,
    hasLog: false,
    scenario: {
      wire,
      traffic: chats('random', 16),
      load:
        load === 'closed'
          ? { kind: 'iterations', users: 2, iterations: 400 }
          : { kind: 'constant', rate: '12/s', duration: '8s' },
    },
  })),
];
