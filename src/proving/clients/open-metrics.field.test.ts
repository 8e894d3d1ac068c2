import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { OpenMetrics } from '../../platform/telemetry/open-metrics.ts';
import { liveSeries } from '../../platform/telemetry/live-series.ts';
import { installedPython, roomFile } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { outputOf } from '../harness/program-output.ts';

interface ReadMetrics {
  readonly types: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [string, Readonly<Record<string, string>>, number])[];
}

/** What Prometheus's parser of OpenMetrics reads in a text; it refuses what breaks the format. */
const readByPrometheus = async (text: string): Promise<ReadMetrics> => {
  const packages = await installedPython('prometheus-pypi', 'clients/drivers/prometheus.txt');
  const folder = await mkdtemp(join(tmpdir(), 'weir-metrics-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'metrics.txt');
  await writeFile(path, text);
  const { stdout } = await outputOf('python3', [roomFile('clients/drivers/prometheus_python.py')], {
    cwd: packages,
    env: { WEIR_TEXT: path, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(stdout) as ReadMetrics;
};

describe('live metrics', () => {
  it('are read by Prometheus’s own parser of OpenMetrics, every value and label', async (context) => {
    const metrics = new OpenMetrics();
    const labels = { traffic: 'chat', model: 'a "b"\\n\\\n é', key: 'key-1', stage: '{main},x=1' };
    metrics.record('run', 1, { scenario: 'a\nb', run_id: 'r', version: '1' });
    for (let count = 0; count < 3; count++)
      metrics.record('arrivals', 1, { ...labels, outcome: 'completed' });
    metrics.record('inFlight', 0.1 + 0.2, {});
    metrics.record('due', 1e21, {});
    for (const seconds of [1e-7, 0.005, 0.3, 500]) metrics.record('ttft', seconds, labels);
    const { types, samples } = await orSkip(context, () => readByPrometheus(metrics.text()));
    expect(Object.keys(types)).toHaveLength(Object.keys(liveSeries).length);
    const valueOf = (name: string, le?: string) =>
      samples.find(([found, { le: bound }]) => found === name && bound === le);
    expect(valueOf('weir_arrivals_total')).toEqual([
      'weir_arrivals_total',
      { ...labels, outcome: 'completed' },
      3,
    ]);
    expect(valueOf('weir_run_info')?.[1]).toEqual({ scenario: 'a\nb', run_id: 'r', version: '1' });
    expect(valueOf('weir_in_flight')?.[2]).toBe(0.1 + 0.2);
    expect(valueOf('weir_due')?.[2]).toBe(1e21);
    expect(valueOf('weir_ttft_seconds_bucket', '0.005')?.[2]).toBe(2);
    expect(valueOf('weir_ttft_seconds_bucket', '+Inf')?.[2]).toBe(4);
    expect(valueOf('weir_ttft_seconds_sum')?.[2]).toBeCloseTo(500.3050001, 9);
  }, 600_000);
});
