import { expect, it } from 'vitest';
import { canonicalMetric, knownMetrics, metricsOf, serverSources } from './server-sources.ts';

it('a figure is read from all counters that it is made of', () => {
  const { prefixHits, inputTokens, queueTime } = {
    ...serverSources['llama.cpp'],
    queueTime: serverSources.LiteLLM.queueTime,
  };
  expect(metricsOf(inputTokens)).toEqual([
    'llamacpp:prompt_tokens_total',
    'llamacpp:prompt_tokens_cached_total',
  ]);
  expect(metricsOf(prefixHits)).toEqual([
    'llamacpp:prompt_tokens_cached_total',
    'llamacpp:prompt_tokens_total',
    'llamacpp:prompt_tokens_cached_total',
  ]);
  expect(metricsOf(queueTime)).toEqual([
    'litellm_request_queue_time_seconds_sum',
    'litellm_request_queue_time_seconds_count',
  ]);
  expect(metricsOf(serverSources.vLLM.running)).toEqual(['vllm:num_requests_running']);
});

it('a metric is known by each of the names that exporters give to it', () => {
  const name = 'llamacpp:prompt_tokens_total';
  expect(knownMetrics.has(name)).toBe(true);
  for (const other of [
    name,
    'llamacpp_prompt_tokens_total',
    'ray_llamacpp_prompt_tokens_total',
    'llamacpp.prompt_tokens_total',
    'U__llamacpp_3a_prompt__tokens__total',
    'llamacpp:prompt_tokens',
  ])
    expect(canonicalMetric(other)).toBe(name);
  expect(canonicalMetric('other_total')).toBe('other_total');
});
