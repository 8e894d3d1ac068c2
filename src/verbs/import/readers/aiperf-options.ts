import { namedFlags } from './command-flags.ts';

/** This file reads the options of `aiperf profile` (https://github.com/ai-dynamo/aiperf), version 0.13.0. */

/** The options that are imported: Weir's name, and AIPerf's spellings, the one of AIPerf's documentation first. */
export const aiPerfFlags = namedFlags({
  model: '--model-names --model -m',
  url: '--url -u',
  endpoint: '--custom-endpoint --endpoint',
  type: '--endpoint-type',
  streaming: '--streaming --no-streaming',
  key: '--api-key',
  header: '--header -H',
  extra: '--extra-inputs',
  timeout: '--request-timeout-seconds',
  reuse: '--connection-reuse-strategy',
  system: '--system-prompt',
  input: '--prompt-input-tokens-mean --synthetic-input-tokens-mean --isl',
  inputDeviation: '--prompt-input-tokens-stddev --synthetic-input-tokens-stddev --isl-stddev',
  output: '--prompt-output-tokens-mean --output-tokens-mean --osl',
  outputDeviation: '--prompt-output-tokens-stddev --output-tokens-stddev --osl-stddev',
  prefixes: '--prompt-prefix-pool-size --prefix-prompt-pool-size --num-prefix-prompts',
  prefixTokens: '--prompt-prefix-length --prefix-prompt-length',
  turns: '--conversation-turn-mean --session-turns-mean',
  delay: '--conversation-turn-delay-mean --session-turn-delay-mean',
  users: '--concurrency',
  rate: '--request-rate',
  arrivals: '--arrival-pattern --request-rate-mode',
  shape: '--arrival-smoothness --vllm-burstiness',
  requests: '--request-count --num-requests',
  seconds: '--benchmark-duration',
  grace: '--benchmark-grace-period',
  warmUpRequests: '--warmup-request-count --num-warmup-requests',
  warmUp: '--warmup-duration',
  userRamp: '--concurrency-ramp-duration',
  rateRamp: '--request-rate-ramp-duration',
  seed: '--random-seed',
  tokenizer: '--tokenizer',
  goodput: '--goodput',
  failures: '--failed-request-threshold',
  metrics: '--server-metrics',
  runs: '--num-profile-runs',
});

/**
 * The other options. Each row has the reason why the options are not imported, or says what to do instead. The first
 * matching row is used.
 */
export const otherAiPerfOptions: readonly (readonly [
  names: RegExp,
  kind: 'left' | 'unneeded',
  message: string,
])[] = [
  [
    /^-(-(output-artifact|artifact|profile-export|export|ui|log-level|verbose|extra-verbose|slice-duration|auto-plot|plot|show-trace|otel|mlflow|wandb|gen-ai|stream$|gpu|no-gpu|zmq|record-processor|api-|stats|workers|max-workers|no-sweep-table|confidence|network-latency|server-metrics-formats|no-server-metrics|use-legacy|use-server-token|per-chunk|num-dataset-entries|num-prompts|wait-for-model|transport)|vv?$)/,
    'unneeded',
    'it is about AIPerf’s own processes and files, or what Weir does anyway',
  ],
  [
    /^--(search|optuna|bo-|sweep|variant|.*sla|isl-|osl-|concurrency-m|concurrency-steps|degradation)/,
    'left',
    'use weir sweep, or weir capacity for the highest rate that keeps the objectives',
  ],
  [
    /^--(input-file|custom-dataset|public-dataset|hf-|dataset|fixed-schedule|synthesis|replay|trace)/,
    'left',
    'write prompt: { file: … } for prompts of a file, or load: { kind: trace, file: … } for a trace',
  ],
  [
    /^--(seq|sequence|random-range)/,
    'left',
    'write an entry of "traffic" with its weight for each pair of lengths',
  ],
  [
    /^--(user-centric|num-users)/,
    'left',
    'write a load of the kind "closed" with "users" and "thinkTime"',
  ],
  [
    /^--(image|audio|video|batch-size)/,
    'left',
    'write content parts (bundled: or file:) as the prompt',
  ],
];

/** AIPerf's metrics for objectives of single requests, each with Weir's measure and its unit. */
export const goodputMeasures: ReadonlyMap<
  string,
  readonly [measure: string, sign: string, unit: string]
> = new Map([
  ['request_latency', ['serviceTime', '<=', 'ms']],
  ['time_to_first_token', ['ttft', '<=', 'ms']],
  ['inter_token_latency', ['tpot', '<=', 'ms']],
]);
