import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedPython, pinnedIn, roomFile } from '../harness/installed.ts';
import { outputOf } from '../harness/program-output.ts';
import { provingKeys, type ServerOptions, startServer } from '../harness/server-process.ts';
import { measurableTimes, startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from '../limiters/litellm/start-litellm.ts';
import type { ServerCase, StartedServer, ServerTokens } from './server-case.ts';
import { startAimock, startLlmock } from './simulators.ts';

/** Servers that implement the interface themselves: LiteLLM's proxy, llama.cpp's server and simulators. */

const requirements = 'servers/requirements.txt';

/** The folder of the Python packages of this folder. */
export const serverPackages = (): Promise<string> => installedPython('servers', requirements);

/** Sends one chat, without an id: a server's first may take seconds. */
const answerFirst = async (url: string, model: string): Promise<void> => {
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${provingKeys[1]}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the first chat was answered with ${answer.status}: ${text}`);
};

const startProxy = (options: ServerOptions): Promise<StartedServer> =>
  startBeforeGateway(async (upstream) => {
    const running = await startLiteLlm({
      ...options,
      upstream,
      requestsPerWindow: 1_000_000,
      tokensPerWindow: 1_000_000_000,
      window: 60_000,
    });
    try {
      await answerFirst(running.url, 'proving/small');
    } catch (error) {
      await running.stop();
      throw error;
    }
    return running;
  }, measurableTimes);

/** How often llama.cpp is asked whether its model is loaded, and the interval in ms. */
const loadAttempts = 600;
const loadInterval = 100;

/** llama.cpp listens before its model is loaded. */
const waitForModel = async (url: string): Promise<void> => {
  for (let attempt = 0; attempt < loadAttempts; attempt += 1) {
    const { status } = await fetch(new URL('/health', url));
    if (status === 200) return;
    await sleep(loadInterval);
  }
  throw new Error('llama.cpp did not load its model within a minute');
};

/** A chat template that writes the tools once. */
export const toolTemplate =
  "{% if tools %}<tools>{{ tools | tojson }}\n{% endif %}{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}\n{% endfor %}<assistant>";

/**
 * Starts llama.cpp's server with a model of random weights; with keys it asks for one of them. With a chat
 * template it has one slot, whose context is four times as long. A slow one has a model of 330 MB.
 */
export const startLlama = async (
  { port, folder }: ServerOptions,
  keys: readonly string[] = [],
  template?: string,
  isSlow = false,
): Promise<StartedServer> => {
  const env = {
    PYTHONPATH: await serverPackages(),
    ...(template === undefined ? {} : { CHAT_TEMPLATE: template }),
    ...(isSlow ? { SLOW_MODEL: '1' } : {}),
  };
  const version = await pinnedIn(requirements, /^xllamacpp==(.+)$/m);
  const model = join(folder, 'random.gguf');
  await outputOf('python3', [roomFile('servers/llama/make_model.py'), model], { env });
  const serve = roomFile('servers/llama/serve.py');
  const command = ['python3', serve, model, String(port), ...keys] as const;
  const running = await startServer({ command, port, env });
  try {
    await waitForModel(running.url);
  } catch (error) {
    await running.stop();
    throw error;
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
  return { ...running, version, countTokens };
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
  {
    name: 'llmock',
    start: startLlmock,
    model: 'gpt-4o',
    maxTokens: 20,
    hasLog: true,
    scenario: {
      wire,
      traffic: [...chats('gpt-4o', 20), { kind: 'models', weight: 1 }],
      load: { kind: 'constant', rate: '6/s', duration: '8s' },
    },
  },
  {
    name: 'aimock',
    start: startAimock,
    model: 'gpt-4o',
    maxTokens: 20,
    hasLog: true,
    scenario: {
      wire,
      traffic: [
        ...chats('gpt-4o', 20),
        { kind: 'speech', model: 'tts-1', texts: ['The gate is open.'], format: 'wav', weight: 1 },
        { kind: 'transcription', model: 'whisper-1', weight: 1 },
      ],
      load: { kind: 'constant', rate: '12/s', duration: '8s' },
    },
  },
  ...(
    [
      ['closed', 'socket'],
      ['closed', 'undici'],
      ['open', 'socket'],
    ] as const
  ).map(([load, transport]) => ({
    name: `llama.cpp, ${load} load, ${transport}`,
    start: (options: ServerOptions) => startLlama(options),
    model: 'random',
    maxTokens: 16,
    hasLog: false,
    scenario: {
      wire,
      transport,
      traffic: chats('random', 16),
      load:
        load === 'closed'
          ? { kind: 'iterations', users: 2, iterations: 400 }
          : { kind: 'constant', rate: '12/s', duration: '8s' },
    },
  })),
];
