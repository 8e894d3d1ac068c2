import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installed, installedPython, pinnedIn } from '../harness/installed.ts';
import { fetchPackages } from '../harness/program-output.ts';
import { type RunningServer, type ServerOptions, startServer } from '../harness/server-process.ts';
import type { StartedServer, ServerTokens } from './server-case.ts';

/**
 * The interfaces of inference servers, by their own code, where no model can run: Ollama's, before a stub of its
 * runner, and NVIDIA Dynamo's frontend, before its simulator of vLLM's and SGLang's engines.
 */

/**
 * Starts the OpenAI interface of Ollama (its packages `middleware`, `openai` and `api` of the Go module proxy). Of its
 * models `failing` breaks off after five tokens, `unloaded` has none, and `missing` does not exist.
 */
export const startOllama = async ({ port, log }: ServerOptions): Promise<StartedServer> => {
  const from = 'servers/ollama';
  const built = await installed({
    name: 'ollama',
    files: {
      'main.go': `${from}/main.go`,
      'go.mod': `${from}/go.mod`,
      'go.sum': `${from}/go.sum`,
    },
    install: (folder) => fetchPackages(folder, 'go', ['go', 'build', '-o', 'ollama', '.']),
  });
  const version = await pinnedIn(`${from}/go.mod`, /ollama\/ollama v(\S+)/);
  const command = [join(built, 'ollama'), String(port), log] as const;
  return { ...(await startServer({ command, port })), version };
};

/** The number of words in the vocabulary; the simulator draws tokens from the whole of it. */
const words = 32_000;
const end = '<|end|>';

/** Writes a model without weights: the simulator needs its sizes, its tokenizer and its template. */
const writeModel = async (folder: string): Promise<void> => {
  // A tokenizer of bytes writes a space as Ġ and a line feed as Ċ.
  const letters = [...'ĠĊ', ...Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i))];
  const vocabulary = Array.from({ length: words }, (_, i) => letters[i] ?? `Ġw${i}`);
  const bytes = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false };
  const files = {
    'tokenizer.json': {
      version: '1.0',
      added_tokens: [{ id: words, content: end, special: true, ...special }],
      pre_tokenizer: bytes,
      decoder: bytes,
      model: {
        type: 'BPE',
        vocab: Object.fromEntries([...vocabulary, end].map((word, i) => [word, i])),
        merges: [],
      },
    },
    'tokenizer_config.json': {
      tokenizer_class: 'PreTrainedTokenizerFast',
      bos_token: end,
      eos_token: end,
      chat_template: '{% for m in messages %}{{ m["role"] }}: {{ m["content"] }}\n{% endfor %}',
    },
    'generation_config.json': { bos_token_id: words, eos_token_id: words },
    'config.json': {
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      hidden_size: 64,
      intermediate_size: 128,
      num_hidden_layers: 2,
      num_attention_heads: 2,
      num_key_value_heads: 2,
      vocab_size: words + 1,
      max_position_embeddings: 4096,
      bos_token_id: words,
      eos_token_id: words,
      torch_dtype: 'float16',
    },
  };
  await mkdir(folder);
  for (const [name, content] of Object.entries(files))
    await writeFile(join(folder, name), JSON.stringify(content));
};

/** How often a server is asked whether it is ready, and the interval in ms. */
const attempts = 1200;
const interval = 50;

/** Resolves once `isTrue` of the text at an address. */
export const waitForText = async (
  url: string | URL,
  isTrue: (text: string) => boolean,
): Promise<void> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (isTrue(await (await fetch(url)).text())) return;
    await sleep(interval);
  }
  throw new Error(`${String(url)} did not become ready within a minute`);
};

/** The sum of a metric over its labels that match. */
export const metricIn = (text: string, name: string, labels = ''): number =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);

/** Dynamo, with its engine apart. */
export interface DynamoServer extends StartedServer {
  /** Reads its metrics, as Prometheus does. */
  readonly readMetrics: () => Promise<string>;
  /** Ends the engine at once, also within answers. */
  readonly endEngine: () => Promise<void>;
}

/** Starts Dynamo's frontend, written in Rust, and one simulated engine that serves the model `simulated`. */
export const startDynamo = async (
  { port, folder }: ServerOptions,
  engine: 'vllm' | 'sglang',
): Promise<DynamoServer> => {
  const requirements = 'servers/dynamo/requirements.txt';
  const packages = await installedPython('dynamo', requirements);
  const version = await pinnedIn(requirements, /^ai-dynamo==(.+)$/m);
  const model = join(folder, 'model');
  await writeModel(model);
  const env = {
    PYTHONPATH: packages,
    PYTHONDONTWRITEBYTECODE: '1',
    DYN_DISCOVERY_BACKEND: 'file',
    DYN_FILE_KV: join(folder, 'discovery'),
    DYN_REQUEST_PLANE: 'tcp',
    DYN_EVENT_PLANE: 'zmq',
  };
  const running = await startServer({
    command: ['python3', '-m', 'dynamo.frontend', '--http-port', String(port)],
    port,
    env,
  });
  let simulator: RunningServer | null = null;
  const stop = async (): Promise<void> => {
    await simulator?.stop();
    await running.stop();
  };
  try {
    const asked = `--model-path ${model} --model-name simulated --engine-type ${engine}`.split(' ');
    // The simulated engine chooses its own ports. The frontend lists its model as soon as the engine can answer.
    simulator = await startServer({
      command: ['python3', '-m', 'dynamo.mocker', ...asked],
      port,
      env,
    });
    await waitForText(`${running.url}/models`, (text) => text.includes('simulated'));
  } catch (error) {
    await stop();
    throw error;
  }
  const readMetrics = async (): Promise<string> =>
    (await fetch(new URL('/metrics', running.url))).text();
  const countTokens = async (): Promise<ServerTokens> => {
    const text = await readMetrics();
    const sum = (side: string): number =>
      metricIn(text, `dynamo_frontend_${side}_sequence_tokens_sum`);
    return { input: sum('input'), output: sum('output') };
  };
  return { ...running, stop, version, countTokens, readMetrics, endEngine: simulator.stop };
};
