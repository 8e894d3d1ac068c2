import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../model/quantity.ts';
import { maxServerSamples } from '../model/result/server-metrics.ts';
import { type OwnFigure, ServerReadings } from './server-readings.ts';
import { serverSoftware } from './server-sources.ts';

const readings = (own: readonly OwnFigure[] = []) =>
  new ServerReadings('http://host/metrics', milliseconds(1000), own);

/** Reads texts a second apart, and returns the values of the last. */
const lastOf = (texts: readonly string[], own: readonly OwnFigure[] = []) => {
  const read = readings(own);
  for (const [second, text] of texts.entries()) {
    read.add(text.trim().split('\n'), instant(second * 1000), instant(second * 1000 + 10));
  }
  return { ...read.result(), values: read.result().samples.at(-1)?.values };
};

describe('the metrics of servers', () => {
  it.each([
    [
      'vLLM',
      `vllm:num_requests_running{model_name="a"} 3.0
vllm:num_requests_running{model_name="b"} 1.0
vllm:num_requests_waiting{model_name="a"} 2.0
vllm:kv_cache_usage_perc{model_name="a"} 0.25
vllm:prefix_cache_queries_total{model_name="a"} 1000
vllm:prefix_cache_hits_total{model_name="a"} 100
vllm:request_queue_time_seconds_sum{model_name="a"} 10
vllm:request_queue_time_seconds_count{model_name="a"} 20
vllm:prompt_tokens_total{model_name="a"} 5e+03
vllm:generation_tokens_total{model_name="a"} 700`,
      `vllm:num_requests_running{model_name="a"} 4.0
vllm:num_requests_running{model_name="b"} 1.0
vllm:num_requests_waiting{model_name="a"} 7.0
vllm:kv_cache_usage_perc{model_name="a"} 0.5
vllm:prefix_cache_queries_total{model_name="a"} 1200
vllm:prefix_cache_hits_total{model_name="a"} 150
vllm:request_queue_time_seconds_sum{model_name="a"} 12
vllm:request_queue_time_seconds_count{model_name="a"} 24
vllm:prompt_tokens_total{model_name="a"} 5.2e+03
vllm:generation_tokens_total{model_name="a"} 750`,
      {
        running: 5,
        waiting: 7,
        cacheUse: 50,
        prefixHits: 25,
        queueTime: 500,
        inputTokens: 200,
        outputTokens: 50,
      },
    ],
    [
      'llama.cpp',
      `llamacpp:prompt_tokens_total 100
llamacpp:tokens_predicted_total 10
llamacpp:requests_processing 1
llamacpp:requests_deferred 0`,
      `llamacpp:prompt_tokens_total 160
llamacpp:tokens_predicted_total 50
llamacpp:requests_processing 4
llamacpp:requests_deferred 9`,
      { running: 4, waiting: 9, inputTokens: 60, outputTokens: 40 },
    ],
    [
      'llama.cpp',
      'llamacpp:prompt_tokens_total 100\nllamacpp:prompt_tokens_cached_total 1000',
      'llamacpp:prompt_tokens_total 110\nllamacpp:prompt_tokens_cached_total 1030',
      { inputTokens: 40, prefixHits: 75 },
    ],
    [
      'TGI',
      `tgi_batch_current_size 2
tgi_queue_size 1
tgi_request_queue_duration_sum 1
tgi_request_queue_duration_count 10
tgi_request_generated_tokens_sum 100`,
      `tgi_batch_current_size 3
tgi_queue_size 5
tgi_request_queue_duration_sum 3
tgi_request_queue_duration_count 20
tgi_request_generated_tokens_sum 130`,
      { running: 3, waiting: 5, queueTime: 200, outputTokens: 30 },
    ],
    [
      'SGLang',
      'sglang:num_running_reqs{a="b"} 1\nsglang:token_usage{a="b"} 0.1',
      'sglang:num_running_reqs{a="b"} 2\nsglang:num_queue_reqs{a="b"} 6\nsglang:token_usage{a="b"} 0.2\nsglang:cache_hit_rate{a="b"} 0.75',
      { running: 2, waiting: 6, cacheUse: 20, prefixHits: 75 },
    ],
    [
      'LiteLLM',
      'litellm_in_flight_requests 1\nlitellm_output_tokens_metric_total{model="m"} 10',
      'litellm_in_flight_requests 8\nlitellm_output_tokens_metric_total{model="m"} 30',
      { running: 8, outputTokens: 20 },
    ],
    [
      'TensorRT-LLM',
      `trtllm_num_requests_running{model_name="m"} 1
trtllm_prompt_tokens_total{model_name="m"} 10
trtllm_generation_tokens_total{model_name="m"} 20`,
      `trtllm_num_requests_running{model_name="m"} 4
trtllm_num_requests_waiting{model_name="m"} 2
trtllm_kv_cache_utilization{model_name="m"} 0.25
trtllm_prompt_tokens_total{model_name="m"} 40
trtllm_generation_tokens_total{model_name="m"} 25`,
      { running: 4, waiting: 2, cacheUse: 25, inputTokens: 30, outputTokens: 5 },
    ],
  ])('of %s are read by their names', (software, before, after, values) => {
    const read = lastOf([before, after]);
    expect(read).toMatchObject({ software, failed: 0, resets: 0, scrapes: 2 });
    expect(read.values).toEqual(values);
  });

  it('name each of the six servers', () => {
    expect(serverSoftware).toEqual([
      'vLLM',
      'SGLang',
      'TGI',
      'llama.cpp',
      'LiteLLM',
      'TensorRT-LLM',
    ]);
  });

  it.each([
    ['SGLang', 'sglang_num_running_reqs', 'sglang_generation_tokens_total'],
    ['vLLM', 'ray_vllm_num_requests_running', 'ray_vllm_generation_tokens_total'],
    ['llama.cpp', 'llamacpp_requests_processing', 'llamacpp_tokens_predicted_total'],
  ])('of %s are read where a router or collector renamed them', (software, running, counter) => {
    const of = (tokens: number) =>
      `${running}{tp_rank="0"} 5\n${running}{tp_rank="1"} 5\n${counter}{tp_rank="0"} ${tokens}`;
    expect(readings().wants(running)).toBe(true);
    expect(readings().wants('ray_other')).toBe(false);
    const own: readonly OwnFigure[] = [{ name: 'mine', metric: running, as: 'gauge' }];
    expect(lastOf([of(10), of(25)], own)).toMatchObject({
      software,
      values: { running: 5, outputTokens: 15, mine: 5 },
    });
  });

  it('of SGLang with priorities are not counted twice', () => {
    const { values } = lastOf([
      'sglang:num_queue_reqs{dp_rank="0",priority=""} 7\nsglang:num_queue_reqs{dp_rank="0",priority="1"} 5\nsglang:num_queue_reqs{dp_rank="0",priority="2"} 2\nsglang:num_queue_reqs{dp_rank="1",priority=""} 1',
    ]);
    expect(values).toEqual({ waiting: 8 });
  });

  it('of ranks that share their requests are not summed, but those of engines are', () => {
    const ranks = (name: string, value: number) =>
      Array.from(
        { length: 8 },
        (_, rank) => `${name}{model_name="m",tp_rank="${rank}",pp_rank="0"} ${value}`,
      ).join('\n');
    expect(lastOf([ranks('sglang:num_running_reqs', 5)]).values).toEqual({ running: 5 });
    const counter = 'sglang:generation_tokens_total';
    expect(lastOf([ranks(counter, 100), ranks(counter, 140)]).values).toEqual({
      outputTokens: 40,
    });
    const engines =
      'sglang:num_running_reqs{dp_rank="0",tp_rank="0"} 5\nsglang:num_running_reqs{dp_rank="0",attn_cp_rank="1",tp_rank="1"} 4\nsglang:num_running_reqs{dp_rank="1",tp_rank="2"} 3';
    expect(lastOf([engines]).values).toEqual({ running: 8 });
    const processes =
      'sglang:num_running_reqs{pid="7",tp_rank="0"} 5\nsglang:num_running_reqs{pid="8",tp_rank="1"} 5';
    expect(lastOf([processes]).values).toEqual({ running: 5 });
    expect(lastOf([processes.replaceAll('tp_rank', 'dp_rank')]).values).toEqual({ running: 10 });
    for (const label of ['dcp_rank', 'tensor_parallel_rank', 'TP_rank', 'prometheus_replica']) {
      const some = processes.replaceAll('tp_rank', label);
      expect(lastOf([some]).values).toEqual({ running: 5 });
    }
    const vllm = 'vllm:num_requests_running{engine="0"} 3\nvllm:num_requests_running{engine="1"} 3';
    expect(lastOf([vllm]).values).toEqual({ running: 6 });
    const own: readonly OwnFigure[] = [{ name: 'memory', metric: 'gpu_memory', as: 'gauge' }];
    const memory = 'gpu_memory{tp_rank="0"} 10\ngpu_memory{tp_rank="1"} 12';
    expect(lastOf([memory], own).values).toEqual({ memory: 22 });
  });

  it('are read in OpenMetrics, with exemplars and with times in seconds', () => {
    const scrape = (count: number) =>
      `vllm:num_requests_running{engine="0"} 3 1700000000.123
vllm:generation_tokens_total{engine="0"} ${count} # {trace_id="a"} 1.0 1700000000.1
vllm:generation_tokens_created{engine="0"} 1.7e9
vllm:prompt_tokens_total{engine="0"} ${count} 1.7e9 # {trace_id="a # {b}"} 1
# EOF`;
    expect(lastOf([scrape(100), scrape(200)]).values).toEqual({
      running: 3,
      outputTokens: 100,
      inputTokens: 100,
    });
  });

  it.each([
    ['quoted names of UTF-8', (name: string) => `{"${name}",engine="0"}`],
    ['quoted names without labels', (name: string) => `{"${name}"}`],
    ['a point in place of the colon', (name: string) => `{"${name.replace(':', '.')}"}`],
    [
      'escaped names',
      (name: string) => `U__${name.replaceAll('_', '__').replace(':', '_3a_')}{engine="0"}`,
    ],
    ['counters without their ending', (name: string) => name.replace('_total', '')],
  ])('are read with %s', (_, written) => {
    const scrape = (count: number) =>
      `${written('vllm:num_requests_running')} 3\n${written('vllm:generation_tokens_total')} ${count}`;
    expect(readings().wants('vllm:generation_tokens')).toBe(true);
    expect(lastOf([scrape(100), scrape(130)]).values).toEqual({ running: 3, outputTokens: 30 });
  });

  it('include those of the scenario, whatever the server is', () => {
    const own: readonly OwnFigure[] = [
      { name: 'depth', metric: 'my_depth', as: 'gauge' },
      { name: 'flow', metric: 'my_total', as: 'rate' },
    ];
    const read = lastOf(
      ['my_depth{q="a"} 1\nmy_depth{q="b"} 2\nmy_total 5', 'my_depth 4\nmy_total 9'],
      own,
    );
    expect(read).toMatchObject({ software: null, values: { depth: 4, flow: 4 } });
    expect(readings(own).wants('my_depth')).toBe(true);
  });
});

describe('a counter', () => {
  it('that falls counts from 0 again, and the fall is noted', () => {
    const read = lastOf([
      'llamacpp:tokens_predicted_total 1000',
      'llamacpp:tokens_predicted_total 30',
    ]);
    expect(read).toMatchObject({ resets: 1, values: { outputTokens: 30 } });
  });

  it('have no rates if several processes answer in turn, and a note says so', () => {
    const of = (total: number, running: number) =>
      `vllm:num_requests_running ${running}\nvllm:generation_tokens_total ${total}\nvllm:e2e_x 1`;
    const read = readings([{ name: 'more', metric: 'vllm:generation_tokens_total', as: 'rate' }]);
    for (const [second, text] of [of(1000, 3), of(40, 1), of(1010, 4), of(42, 2)].entries())
      read.add(text.split('\n'), instant(second * 1000), instant(second * 1000 + 10));
    const { samples, resets } = read.result();
    expect(samples.map(({ values }) => values)).toEqual(
      [3, 1, 4, 2].map((running) => ({ running })),
    );
    expect(resets).toBe(0);
    expect(read.notes().join()).toMatchInlineSnapshot(
      `"The server’s metrics: several processes answer at http://host/metrics in turn, since its counters return to earlier values. Rates, shares and means over time are left out; each other figure is that of one process. Give the address of one process, or of a collector of all."`,
    );
  });

  it('count the lines that cannot be read, with the first of them', () => {
    const read = readings();
    const lines = [
      'vllm:num_requests_running 3',
      'vllm:generation_tokens_total{a=b} 1',
      'vllm:num_requests_waiting x',
    ];
    expect(read.notes()).toEqual([]);
    read.noteUnread(`{"${'x'.repeat(500)}"} 1\u001b`);
    read.add(lines, instant(0), instant(1));
    read.add(lines, instant(1000), instant(1001));
    expect(
      read
        .notes()
        .join()
        .replace(/x{20,}/, 'x…'),
    ).toMatchInlineSnapshot(
      `"The server’s metrics: 5 lines of all readings of http://host/metrics could not be read and are left out; the first is "{\\"x…"."`,
    );
  });

  it('that only one of several models resets is not hidden by the sum', () => {
    const read = lastOf([
      'vllm:generation_tokens_total{m="a"} 100\nvllm:generation_tokens_total{m="b"} 10',
      'vllm:generation_tokens_total{m="a"} 5\nvllm:generation_tokens_total{m="b"} 210',
    ]);
    expect(read).toMatchObject({ resets: 1, values: { outputTokens: 205 } });
  });

  it.each([
    ['is missing', 'vllm:generation_tokens_total{m="b"} 20'],
    [
      'is not a number',
      'vllm:generation_tokens_total{m="a"} NaN\nvllm:generation_tokens_total{m="b"} 20',
    ],
    [
      'is without end',
      'vllm:generation_tokens_total{m="a"} +Inf\nvllm:generation_tokens_total{m="b"} 20',
    ],
  ])('that %s in some readings goes on from its last value', (_, gap) => {
    const of = (a: number, b: number) =>
      `vllm:generation_tokens_total{m="a"} ${a}\nvllm:generation_tokens_total{m="b"} ${b}`;
    const read = lastOf([of(1e6, 10), gap, of(1e6 + 30, 25)]);
    expect(read).toMatchObject({ resets: 0, values: { outputTokens: 35 } });
  });

  it('that has no number now and then is not taken for several processes', () => {
    const read = readings();
    const values = ['1000', 'NaN', '1010', 'NaN', '1020', 'NaN', '1030'];
    for (const [second, value] of values.entries())
      read.add(
        [`vllm:generation_tokens_total ${value}`],
        instant(second * 1000),
        instant(second * 1000),
      );
    expect(read.notes()).toEqual([]);
    expect(read.result()).toMatchObject({
      failed: 3,
      lastFailure: 'none of its metrics has a number',
    });
    expect(read.result().samples.map((each) => each.values['outputTokens'])).toEqual([
      undefined,
      5,
      5,
      5,
    ]);
  });

  it('is divided by the time between the middles of two readings', () => {
    const read = readings();
    read.add(['llamacpp:tokens_predicted_total 0'], instant(0), instant(200));
    read.add(['llamacpp:tokens_predicted_total 90'], instant(1000), instant(1000));
    expect(read.result().samples[1]!.values).toEqual({ outputTokens: 100 });
  });

  it('gives no rate at its first reading, and no mean if nothing was counted', () => {
    const text = 'vllm:request_queue_time_seconds_sum 1\nvllm:request_queue_time_seconds_count 2';
    expect(lastOf([text]).values).toEqual({});
    expect(lastOf([text, text]).values).toEqual({});
  });
});

describe('a reading', () => {
  it('omits values that are not finite, as if the server had not given them', () => {
    const read = lastOf([
      'vllm:num_requests_running NaN\nvllm:num_requests_waiting +Inf\nvllm:num_requests_running{a="1"} 2',
    ]);
    expect(read.values).toEqual({ running: 2 });
  });

  it('counts the increase of the series that are numbers', () => {
    const text = (tokens: number) =>
      `vllm:prompt_tokens_total{m="a"} ${tokens}\nvllm:prompt_tokens_total{m="b"} NaN`;
    expect(lastOf([text(100), text(150)]).values).toEqual({ inputTokens: 50 });
  });

  it('of another format fails with a reason, and is counted', () => {
    const read = readings();
    expect(read.add([], instant(0), instant(1))).toContain('no metric that Weir knows');
    read.fail('answered 404');
    expect(read.result()).toMatchObject({
      scrapes: 2,
      failed: 2,
      lastFailure: 'answered 404',
      samples: [],
    });
  });

  it('of a long run keeps every second sample, in bounded memory', () => {
    const read = readings();
    for (let second = 0; second < 3 * maxServerSamples; second += 1) {
      read.add(['llamacpp:requests_processing 1'], instant(second * 1000), instant(second * 1000));
    }
    const { samples, every } = read.result();
    expect(samples.length).toBeLessThan(maxServerSamples);
    expect(every).toBe(4000);
    const gaps = samples.slice(1).map(({ sent }, i) => sent - samples[i]!.sent);
    expect(new Set(gaps)).toEqual(new Set([4000]));
  });
});
