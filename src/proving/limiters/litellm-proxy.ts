import { pinnedIn } from '../harness/installed.ts';
import { startUpstream } from '../harness/upstream.ts';
import { startLiteLlm } from './litellm/start-litellm.ts';
import type { LimiterCase } from './limiter-case.ts';

/** More tokens than an examination spends. */
const tokens = 2_000_000;

/** LiteLLM's proxy, its limiter v3 in memory, before our own gateway without limits. */
export const liteLlmProxy: LimiterCase['start'] = async ({ port, folder, log, limit, window }) => {
  const upstream = await startUpstream();
  try {
    const running = await startLiteLlm({
      port,
      folder,
      log,
      window,
      upstream: new URL(upstream.url).host,
      requestsPerWindow: limit,
      tokensPerWindow: tokens,
    });
    const stop = async (): Promise<void> => {
      await running.stop();
      await upstream.close();
    };
    const version = await pinnedIn('limiters/litellm/requirements.txt', /^litellm==(.+)$/m);
    return { url: running.url, version, stop };
  } catch (error) {
    await upstream.close();
    throw error;
  }
};
