import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { noLevels, type ServingLevels } from '../serving/serving.ts';
import { sendServerMetrics } from './server-metrics.ts';

/** What a scrape of a gateway with these models gets. */
const scraped = (models: string[], levels: readonly (readonly [string, ServingLevels])[]) => {
  const sent: unknown[] = [];
  const response = {
    writeHead: (...head: readonly unknown[]) => sent.push(...head),
    end: (text: string) => sent.push(text),
  } as unknown as ServerResponse;
  sendServerMetrics(response, { models }, { levels: () => new Map(levels) } as never);
  return sent;
};

it('the metrics of a model are gauges, counters and a histogram, named as those of vLLM', () => {
  const levels = {
    running: 2,
    waiting: 3,
    promptTokens: 50,
    generatedTokens: 70,
    prefixQueries: 40,
    prefixHits: 30,
    queueTime: 2500,
    queued: 5,
  };
  expect(scraped(['a"b\\c\nd'], [['a"b\\c\nd', levels]])).toMatchInlineSnapshot(`
    [
      200,
      {
        "content-type": "text/plain; version=0.0.4; charset=utf-8",
      },
      "# HELP vllm:num_requests_running Requests in the batch.
    # TYPE vllm:num_requests_running gauge
    vllm:num_requests_running{model_name="a\\"b\\\\c\\nd"} 2
    # HELP vllm:num_requests_waiting Requests that wait for a place in the batch.
    # TYPE vllm:num_requests_waiting gauge
    vllm:num_requests_waiting{model_name="a\\"b\\\\c\\nd"} 3
    # HELP vllm:prefix_cache_queries_total Prompt tokens that were looked up in the prefix cache.
    # TYPE vllm:prefix_cache_queries_total counter
    vllm:prefix_cache_queries_total{model_name="a\\"b\\\\c\\nd"} 40
    # HELP vllm:prefix_cache_hits_total Prompt tokens that were in the prefix cache.
    # TYPE vllm:prefix_cache_hits_total counter
    vllm:prefix_cache_hits_total{model_name="a\\"b\\\\c\\nd"} 30
    # HELP vllm:prompt_tokens_total Prompt tokens read.
    # TYPE vllm:prompt_tokens_total counter
    vllm:prompt_tokens_total{model_name="a\\"b\\\\c\\nd"} 50
    # HELP vllm:generation_tokens_total Tokens generated.
    # TYPE vllm:generation_tokens_total counter
    vllm:generation_tokens_total{model_name="a\\"b\\\\c\\nd"} 70
    # HELP vllm:request_queue_time_seconds Time in the queue.
    # TYPE vllm:request_queue_time_seconds histogram
    vllm:request_queue_time_seconds_bucket{model_name="a\\"b\\\\c\\nd",le="+Inf"} 5
    vllm:request_queue_time_seconds_sum{model_name="a\\"b\\\\c\\nd"} 2.5
    vllm:request_queue_time_seconds_count{model_name="a\\"b\\\\c\\nd"} 5
    ",
    ]
  `);
});

it('each model has its own samples, and zeros before its first request', () => {
  const [, , text] = scraped(['m', 'n'], [['n', { ...noLevels, running: 1, generatedTokens: 9 }]]);
  expect(String(text).match(/^vllm:(?:num_requests_running|generation_tokens).*$/gm)).toEqual([
    'vllm:num_requests_running{model_name="m"} 0',
    'vllm:num_requests_running{model_name="n"} 1',
    'vllm:generation_tokens_total{model_name="m"} 0',
    'vllm:generation_tokens_total{model_name="n"} 9',
  ]);
  // A model that is not served is not shown.
  expect(scraped(['m'], [['x', noLevels]])[2]).not.toContain('"x"');
});
