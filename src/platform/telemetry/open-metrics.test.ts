import { describe, expect, it } from 'vitest';
import { OpenMetrics } from './open-metrics.ts';

const labels = { traffic: 'chat', model: 'a/b', key: 'key-1', stage: 'main' };

const linesOf = (metrics: OpenMetrics, name: string): readonly string[] =>
  metrics
    .text()
    .split('\n')
    .filter((line) => line.includes(name));

describe('live metrics as OpenMetrics', () => {
  it('declare every series, and end', () => {
    const text = new OpenMetrics().text();
    expect(text).toMatch(/^# TYPE weir_run_info gauge\n# HELP weir_run_info Always 1/);
    expect(text.endsWith('\n# EOF\n')).toBe(true);
    expect(text.match(/^# TYPE/gm)).toHaveLength(11);
  });

  it('are these, for those who chart them', () => {
    expect(new OpenMetrics().text()).toMatchInlineSnapshot(`
      "# TYPE weir_run_info gauge
      # HELP weir_run_info Always 1; the labels describe the run.
      # TYPE weir_due gauge
      # HELP weir_due Arrivals due so far.
      # TYPE weir_in_flight gauge
      # HELP weir_in_flight Requests in flight.
      # TYPE weir_arrivals counter
      # HELP weir_arrivals Arrivals by outcome; each has exactly one.
      # TYPE weir_attempts counter
      # HELP weir_attempts Requests sent, by the status of the answer; 0 without an answer.
      # TYPE weir_tokens counter
      # HELP weir_tokens Tokens of completed chats; input only where the server reports it.
      # TYPE weir_key_remaining gauge
      # HELP weir_key_remaining Remaining requests or tokens of a key, as the gateway last reported.
      # TYPE weir_end_to_end_seconds histogram
      # UNIT weir_end_to_end_seconds seconds
      # HELP weir_end_to_end_seconds Time from due to the end, of completed requests.
      # TYPE weir_ttft_seconds histogram
      # UNIT weir_ttft_seconds seconds
      # HELP weir_ttft_seconds Time from due to the first token, also of streams that failed later.
      # TYPE weir_first_audio_seconds histogram
      # UNIT weir_first_audio_seconds seconds
      # HELP weir_first_audio_seconds Time from due to the first audio, also of speech that failed later.
      # TYPE weir_lag_seconds histogram
      # UNIT weir_lag_seconds seconds
      # HELP weir_lag_seconds Delay of all attempts by the load generator itself.
      # EOF
      "
    `);
  });

  it('have fine buckets for times to the first token, and some for long answers', () => {
    const metrics = new OpenMetrics();
    metrics.record('ttft', 0.3, labels);
    const bounds = linesOf(metrics, 'weir_ttft_seconds_bucket').map((line) =>
      /le="([^"]*)".* (\d)/.exec(line)!.slice(1),
    );
    expect(bounds.filter(([, count]) => count === '0').map(([bound]) => bound)).toEqual([
      '0.005',
      '0.01',
      '0.025',
      '0.05',
      '0.075',
      '0.1',
      '0.15',
      '0.2',
    ]);
    expect(bounds.filter(([, count]) => count === '1').map(([bound]) => bound)).toEqual([
      '0.3',
      '0.4',
      '0.5',
      '0.75',
      '1.0',
      '1.5',
      '2.0',
      '3.0',
      '5.0',
      '7.5',
      '10.0',
      '15.0',
      '20.0',
      '30.0',
      '60.0',
      '120.0',
      '+Inf',
    ]);
    metrics.record('endToEnd', 0.3, labels);
    expect(linesOf(metrics, 'weir_end_to_end_seconds_bucket')).toHaveLength(25);
  });

  it('add to counters, which are declared without their suffix', () => {
    const metrics = new OpenMetrics();
    metrics.record('arrivals', 2, { ...labels, outcome: 'completed' });
    metrics.record('arrivals', 3, { ...labels, outcome: 'completed' });
    metrics.record('arrivals', 1, { ...labels, outcome: 'limited' });
    expect(linesOf(metrics, 'weir_arrivals')).toEqual([
      '# TYPE weir_arrivals counter',
      '# HELP weir_arrivals Arrivals by outcome; each has exactly one.',
      'weir_arrivals_total{traffic="chat",model="a/b",key="key-1",stage="main",outcome="completed"} 5',
      'weir_arrivals_total{traffic="chat",model="a/b",key="key-1",stage="main",outcome="limited"} 1',
    ]);
  });

  it('set gauges', () => {
    const metrics = new OpenMetrics();
    metrics.record('inFlight', 7, {});
    metrics.record('inFlight', 4.5, {});
    expect(linesOf(metrics, 'weir_in_flight').at(-1)).toBe('weir_in_flight 4.5');
  });

  it('count a histogram up to and including each bound, and everything below +Inf', () => {
    const metrics = new OpenMetrics();
    for (const seconds of [0.0005, 0.25, 0.26, 1, 5]) metrics.record('lag', seconds, {});
    expect(linesOf(metrics, 'weir_lag_seconds')).toEqual([
      '# TYPE weir_lag_seconds histogram',
      '# UNIT weir_lag_seconds seconds',
      '# HELP weir_lag_seconds Delay of all attempts by the load generator itself.',
      ...['0.0005', '0.001', '0.002', '0.005', '0.01', '0.025', '0.05', '0.1'].map(
        (bound) => `weir_lag_seconds_bucket{le="${bound}"} 1`,
      ),
      'weir_lag_seconds_bucket{le="0.25"} 2',
      'weir_lag_seconds_bucket{le="1.0"} 4',
      'weir_lag_seconds_bucket{le="+Inf"} 5',
      'weir_lag_seconds_sum 6.5105',
      'weir_lag_seconds_count 5',
    ]);
  });

  it('escape what a label may contain', () => {
    const metrics = new OpenMetrics();
    metrics.record('run', 1, { scenario: 'a "b"\\c\nd', run_id: 'r', version: '1' });
    expect(linesOf(metrics, 'weir_run_info{')).toEqual([
      'weir_run_info{scenario="a \\"b\\"\\\\c\\nd",run_id="r",version="1"} 1',
    ]);
  });
});
