import { startBeforeGateway } from '../harness/upstream.ts';
import { startLiteLlm } from './litellm/start-litellm.ts';
import type { LimiterCase } from './limiter-case.ts';

/** More tokens than an examination spends. */
const tokensPerWindow = 2_000_000;

/** LiteLLM's proxy, its limiter v3 in memory, before our own gateway without limits. */
export const liteLlmProxy: LimiterCase['start'] = ({ limit, ...options }) =>
  startBeforeGateway((upstream) =>
    startLiteLlm({ ...options, upstream, requestsPerWindow: limit, tokensPerWindow }),
  );
