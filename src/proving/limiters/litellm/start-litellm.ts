import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installedPython, pinnedIn, roomFile } from '../../harness/installed.ts';
import {
  provingKeys,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../harness/server-process.ts';

const requirements = 'limiters/litellm/requirements.txt';

interface LiteLlmOptions extends ServerOptions {
  /** Host and port of the gateway behind it. */
  readonly upstream: string;
  /** For each key. */
  readonly requestsPerWindow: number;
  readonly tokensPerWindow: number;
  /** In ms; whole seconds. */
  readonly window: number;
}

const config = (upstream: string): string => `model_list:
  - model_name: proving/small
    litellm_params: { model: openai/proving/small, api_base: 'http://${upstream}/v1', api_key: ${provingKeys[0]} }
general_settings: { custom_auth: custom_auth.user_api_key_auth, master_key: sk-proving-master }
litellm_settings: { telemetry: false, num_retries: 0 }
router_settings: { num_retries: 0, disable_cooldowns: true }
`;

/** Starts LiteLLM's proxy with limits for each of our keys. Throws `Unavailable` without its packages. */
export const startLiteLlm = async (
  options: LiteLlmOptions,
): Promise<RunningServer & { readonly version: string }> => {
  const { port, folder, log, upstream } = options;
  const version = await pinnedIn(requirements, /^litellm==(.+)$/m);
  const packages = await installedPython('litellm', requirements);
  const file = join(folder, 'config.yaml');
  await writeFile(file, config(upstream));
  await copyFile(roomFile('limiters/litellm/custom_auth.py'), join(folder, 'custom_auth.py'));
  const running = await startServer({
    command: ['python3', roomFile('limiters/litellm/proxy.py'), String(port), log],
    port,
    env: {
      PYTHONPATH: packages,
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
