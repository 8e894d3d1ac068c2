import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { installedPython, pinnedIn, roomFile } from '../../harness/installed.ts';
import {
  provingKeys,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../harness/server-process.ts';

export const liteLlmRequirements = 'limiters/litellm/requirements.txt';

interface LiteLlmOptions extends ServerOptions {
  /** Host and port of the gateway behind it. */
  readonly upstream: string;
  /** For each key. */
  readonly requestsPerWindow: number;
  readonly tokensPerWindow: number;
  /** In ms; whole seconds. */
  readonly window: number;
  /** Its models, each with the provider's name for it; by default the one chat model. */
  readonly models?: readonly (readonly [name: string, upstream: string])[];
  /** The file for what its own logger says of each request's cost (`spend/spend_log.py`). */
  readonly spendLog?: string;
  /** Logs decisions and tokens of chats instead of requests. */
  readonly tokenLog?: {
    /** Whose limit of tokens it is. */
    readonly scope: 'key' | 'team' | 'model';
    /** The number of processes, which have no common store. */
    readonly workers: number;
    /** A folder with an older version's packages. */
    readonly packages?: string;
  };
}

const chatModel = [['proving/small', 'openai/proving/small']] as const;

const config = (
  upstream: string,
  models: NonNullable<LiteLlmOptions['models']>,
  settings: string,
): string => `model_list:
${models
  .map(
    ([name, model]) => `  - model_name: ${name}
    litellm_params: { model: ${model}, api_base: 'http://${upstream}/v1', api_key: ${provingKeys[0]} }`,
  )
  .join('\n')}
general_settings: { custom_auth: custom_auth.user_api_key_auth, master_key: sk-proving-master }
litellm_settings: { telemetry: false, num_retries: 0${settings} }
router_settings: { num_retries: 0, disable_cooldowns: true }
`;

/** The version of LiteLLM in a folder of Python packages. */
const versionIn = async (folder: string): Promise<string> => {
  const names = await readdir(folder);
  return names.map((name) => /^litellm-([\d.]+)\.dist-info$/.exec(name)?.[1]).find(Boolean) ?? '?';
};

/** Starts LiteLLM's proxy with limits for each of our keys. Throws `Unavailable` without its packages. */
export const startLiteLlm = async (
  options: LiteLlmOptions,
): Promise<RunningServer & { readonly version: string }> => {
  const { port, folder, log, upstream, models = chatModel, tokenLog, spendLog } = options;
  const packages = tokenLog?.packages ?? (await installedPython('litellm', liteLlmRequirements));
  const version =
    tokenLog?.packages === undefined
      ? await pinnedIn(liteLlmRequirements, /^litellm==(.+)$/m)
      : await versionIn(tokenLog.packages);
  const file = join(folder, 'config.yaml');
  const settings = spendLog === undefined ? '' : ', callbacks: spend_log.logger';
  await writeFile(file, config(upstream, models, settings));
  for (const own of ['limiters/litellm/custom_auth.py', 'spend/spend_log.py'])
    await copyFile(roomFile(own), join(folder, basename(own)));
  const application = 'litellm.proxy.proxy_server:app';
  const [serve, serveTokens] = ['serve_logged', 'serve_tokens'].map((name) =>
    roomFile(`harness/${name}.py`),
  ) as [string, string];
  const running = await startServer({
    command:
      tokenLog === undefined
        ? ['python3', serve, application, String(port), log]
        : ['python3', serveTokens, String(port), String(tokenLog.workers)],
    port,
    folder,
    // Its workers import the whole of it, each by itself.
    patience: 300_000,
    env: {
      PYTHONPATH: `${packages}:${dirname(serve)}:${folder}`,
      APPLICATION: application,
      TOKEN_LOG: log,
      SPEND_LOG: spendLog ?? '',
      PROVING_SCOPE: tokenLog?.scope ?? 'key',
      CONFIG_FILE_PATH: file,
      PROVING_KEYS: provingKeys.join(','),
      PROVING_RPM: String(options.requestsPerWindow),
      PROVING_TPM: String(options.tokensPerWindow),
      LITELLM_RATE_LIMIT_WINDOW_SIZE: String(options.window / 1000),
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      LITELLM_LOG: 'ERROR',
    },
  });
  return { ...running, version };
};
