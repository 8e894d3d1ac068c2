import type { ServerFigureName } from '../model/measures/server-figures.ts';

/**
 * This file says from which metrics each figure of a server is read. If a metric has several names, the names belong to
 * different versions of the server, and the first name that the server has is read. vLLM: docs/design/metrics.md and
 * vllm/v1/metrics/loggers.py. SGLang: python/sglang/srt/observability/metrics_collector.py. TGI:
 * docs/source/reference/metrics.md. llama.cpp: tools/server/README.md, GET /metrics. LiteLLM: docs/proxy/prometheus.md
 * and litellm/integrations/prometheus.py. TensorRT-LLM: tensorrt_llm/metrics/collector.py. `_sum`, `_count` and
 * `_total` are Prometheus's own endings.
 */

/**
 * How a figure is read. `over` says how the series of a metric are combined, for example the series of several models,
 * engines or ranks.
 */
export type FigureSource =
  | {
      readonly kind: 'gauge';
      readonly of: readonly string[];
      readonly over: 'sum' | 'mean';
      /**
       * A label that marks parts of a whole; `null` without such a label. The label is empty in the series of the
       * whole, and has a value in the series of the parts.
       */
      readonly partLabel: string | null;
      readonly factor: number;
    }
  /** The increase of a counter per second. The increases of the counters in `plus` are added if the server has them. */
  | {
      readonly kind: 'rate';
      readonly of: readonly string[];
      readonly plus: readonly string[];
      readonly factor: number;
    }
  /**
   * The increase of the counter `part`, divided by the increase of the counter `whole`. The increases of the counters
   * in `plus` are added to that of `whole` if the server has them.
   */
  | {
      readonly kind: 'ratio';
      readonly part: readonly string[];
      readonly whole: readonly string[];
      readonly plus: readonly string[];
      readonly factor: number;
    };

type Gauge = Extract<FigureSource, { readonly kind: 'gauge' }>;
const gaugeOf = (of: readonly string[], other: Partial<Gauge> = {}): FigureSource => ({
  kind: 'gauge',
  of,
  over: 'sum',
  partLabel: null,
  factor: 1,
  ...other,
});
const gauge = (...of: readonly string[]): FigureSource => gaugeOf(of);
/**
 * Returns the source of a gauge. If requests have priorities, SGLang reports the total, and also a part for each
 * priority.
 */
const byPriority = (name: string): FigureSource => gaugeOf([name], { partLabel: 'priority' });
/** Returns the source of a percentage that a gauge reports as a share from 0 to 1. */
const share = (...of: readonly string[]): FigureSource =>
  gaugeOf(of, { over: 'mean', factor: 100 });
const rate = (of: string, ...plus: readonly string[]): FigureSource => ({
  kind: 'rate',
  of: [of],
  plus,
  factor: 1,
});
const percent = (
  part: readonly string[],
  whole: readonly string[],
  ...plus: readonly string[]
): FigureSource => ({ kind: 'ratio', part, whole, plus, factor: 100 });
/** Returns the source of a mean time in ms, from the increase of a histogram in seconds since the last reading. */
const meanTime = (name: string): FigureSource => ({
  kind: 'ratio',
  part: [`${name}_sum`],
  whole: [`${name}_count`],
  plus: [],
  factor: 1000,
});

export const serverSources = {
  vLLM: {
    running: gauge('vllm:num_requests_running'),
    waiting: gauge('vllm:num_requests_waiting'),
    cacheUse: share('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
    prefixHits: percent(
      ['vllm:prefix_cache_hits_total', 'vllm:gpu_prefix_cache_hits_total'],
      ['vllm:prefix_cache_queries_total', 'vllm:gpu_prefix_cache_queries_total'],
    ),
    queueTime: meanTime('vllm:request_queue_time_seconds'),
    inputTokens: rate('vllm:prompt_tokens_total'),
    outputTokens: rate('vllm:generation_tokens_total'),
  },
  SGLang: {
    running: byPriority('sglang:num_running_reqs'),
    waiting: byPriority('sglang:num_queue_reqs'),
    cacheUse: share('sglang:token_usage'),
    prefixHits: share('sglang:cache_hit_rate'),
    queueTime: meanTime('sglang:queue_time_seconds'),
    inputTokens: rate('sglang:prompt_tokens_total'),
    outputTokens: rate('sglang:generation_tokens_total'),
  },
  TGI: {
    running: gauge('tgi_batch_current_size'),
    waiting: gauge('tgi_queue_size'),
    queueTime: meanTime('tgi_request_queue_duration'),
    inputTokens: rate('tgi_request_input_length_sum'),
    outputTokens: rate('tgi_request_generated_tokens_sum'),
  },
  'llama.cpp': {
    running: gauge('llamacpp:requests_processing'),
    waiting: gauge('llamacpp:requests_deferred'),
    cacheUse: share('llamacpp:kv_cache_usage_ratio'),
    // In llama.cpp, the number of prompt tokens does not include the cached tokens, so these are added.
    prefixHits: percent(
      ['llamacpp:prompt_tokens_cached_total'],
      ['llamacpp:prompt_tokens_total'],
      'llamacpp:prompt_tokens_cached_total',
    ),
    inputTokens: rate('llamacpp:prompt_tokens_total', 'llamacpp:prompt_tokens_cached_total'),
    outputTokens: rate('llamacpp:tokens_predicted_total'),
  },
  LiteLLM: {
    running: gauge('litellm_in_flight_requests'),
    queueTime: meanTime('litellm_request_queue_time_seconds'),
    inputTokens: rate('litellm_input_tokens_metric_total'),
    outputTokens: rate('litellm_output_tokens_metric_total'),
  },
  'TensorRT-LLM': {
    running: gauge('trtllm_num_requests_running'),
    waiting: gauge('trtllm_num_requests_waiting'),
    cacheUse: share('trtllm_kv_cache_utilization'),
    queueTime: meanTime('trtllm_request_queue_time_seconds'),
    inputTokens: rate('trtllm_prompt_tokens_total'),
    outputTokens: rate('trtllm_generation_tokens_total'),
  },
} as const satisfies Record<string, Partial<Record<ServerFigureName, FigureSource>>>;

export type ServerSoftware = keyof typeof serverSources;
export const serverSoftware = Object.keys(serverSources) as readonly ServerSoftware[];

export const metricsOf = (source: FigureSource): readonly string[] =>
  source.kind === 'gauge'
    ? source.of
    : [...(source.kind === 'rate' ? source.of : [...source.part, ...source.whole]), ...source.plus];

export const knownMetrics: ReadonlySet<string> = new Set(
  serverSoftware.flatMap((name) => Object.values(serverSources[name]).flatMap(metricsOf)),
);

/**
 * The other spellings of known metrics. SGLang's router and OpenTelemetry's collectors replace the colon by an
 * underscore, and Ray also adds a prefix (vLLM: vllm/v1/metrics/ray_wrappers.py).
 */
const otherNames: ReadonlyMap<string, string> = new Map(
  [...knownMetrics].flatMap((name) => {
    const plain = name.replace(':', '_');
    // Prometheus 3 can also replace the colon by a point, or escape the colon (escaping=values).
    const others = [
      plain,
      `ray_${plain}`,
      name.replace(':', '.'),
      `U__${name.replaceAll('_', '__').replace(':', '_3a_')}`,
    ];
    // OpenMetrics names a counter without `_total`, and some exporters also leave `_total` out of the names of samples.
    const unsuffixed = name.endsWith('_total') ? [name.slice(0, -'_total'.length)] : [];
    return [...others, ...unsuffixed].map((other) => [other, name] as const);
  }),
);

/** Returns the name that a server itself gives to a metric. The name of an unknown metric stays unchanged. */
export const canonicalMetric = (name: string): string => otherNames.get(name) ?? name;
