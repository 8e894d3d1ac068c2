import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import type { MetricsExporter } from './live-series.ts';
import { openMetricsEndpoint } from './metrics-endpoint.ts';
import { openOtlp } from './otlp.ts';

const run = { scenario: 'evening', instance: 'one', version: '1.2.3' };

interface Push {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly resourceMetrics: readonly [
      {
        readonly resource: {
          readonly attributes: readonly { readonly key: string; readonly value: object }[];
        };
        readonly scopeMetrics: readonly [{ readonly metrics: readonly Record<string, unknown>[] }];
      },
    ];
  };
}

const collector = async (status = 200) => {
  const pushes: Push[] = [];
  const server: Server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      pushes.push({ path: request.url, headers: request.headers, body: JSON.parse(text) });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { pushes, port: (server.address() as AddressInfo).port };
};

/** What a run of two requests records. */
const recordSome = ({ record }: MetricsExporter): void => {
  const labels = { traffic: 'chat', model: 'm', key: 'k', stage: 's' };
  record('run', 1, { scenario: 'evening', run_id: 'r', version: '1.2.3' });
  record('due', 4, {});
  record('due', 5, {});
  record('arrivals', 1, { ...labels, outcome: 'completed' });
  record('arrivals', 2, { ...labels, outcome: 'completed' });
  record('endToEnd', 0.12, labels);
  record('endToEnd', 2.5, labels);
};

describe('a push of live metrics', () => {
  const variables = ['OTEL_SERVICE_NAME', 'OTEL_RESOURCE_ATTRIBUTES'];
  afterEach(() => {
    for (const name of variables) delete process.env[name];
  });

  it('has every series with its sums, and says which run it is', async () => {
    const { pushes, port } = await collector();
    const said: string[] = [];
    const url = `http://user:secret@127.0.0.1:${port}/v1/metrics?token=secret`;
    const exporter = openOtlp({ url, interval: 60_000 }, run, (text) => said.push(text));
    expect(exporter.announcement).toBe(
      `Live metrics: pushed to http://127.0.0.1:${port}/v1/metrics every 60 s`,
    );
    recordSome(exporter);
    await exporter.close();
    expect(said).toEqual([]);
    const [{ resource, scopeMetrics }] = pushes.at(-1)!.body.resourceMetrics;
    const attributes = Object.fromEntries(
      resource.attributes.map(({ key, value }) => [key, Object.values(value)[0]]),
    );
    expect(attributes).toMatchObject({
      'service.name': 'weir',
      'service.version': '1.2.3',
      'service.instance.id': 'one',
      'weir.scenario': 'evening',
    });
    const metrics = new Map(scopeMetrics[0].metrics.map((each) => [each['name'], each]));
    expect(metrics.get('weir_arrivals_total')).toMatchObject({
      sum: { dataPoints: [{ asDouble: 3 }], isMonotonic: true },
    });
    expect(metrics.get('weir_due')).toMatchObject({ gauge: { dataPoints: [{ asDouble: 5 }] } });
    expect(metrics.get('weir_end_to_end_seconds')).toMatchObject({
      unit: 's',
      histogram: { dataPoints: [{ count: 2, sum: 2.62, min: 0.12, max: 2.5 }] },
    });
    const bounds = (
      metrics.get('weir_end_to_end_seconds') as {
        histogram: { dataPoints: [{ explicitBounds: number[] }] };
      }
    ).histogram.dataPoints[0].explicitBounds;
    expect([bounds[0], bounds.at(-1)]).toEqual([0.005, 120]);
  });

  it('has the names that the environment gives', async () => {
    const { pushes, port } = await collector();
    process.env['OTEL_SERVICE_NAME'] = 'nightly';
    process.env['OTEL_RESOURCE_ATTRIBUTES'] = 'team=red';
    const exporter = openOtlp(
      { url: `http://127.0.0.1:${port}/`, interval: 60_000 },
      run,
      () => undefined,
    );
    recordSome(exporter);
    await exporter.close();
    const text = JSON.stringify(pushes.at(-1)!.body.resourceMetrics[0].resource.attributes);
    expect(text).toContain('nightly');
    expect(text).toContain('red');
  });

  it('comes in its interval, and the first that fails is a sentence without a secret', async () => {
    const { pushes, port } = await collector(400);
    const said: string[] = [];
    const url = `http://user:secret@127.0.0.1:${port}/v1/metrics?token=secret`;
    const exporter = openOtlp({ url, interval: 30 }, run, (text) => said.push(text));
    recordSome(exporter);
    await expect.poll(() => pushes.length, { interval: 5, timeout: 10_000 }).toBeGreaterThan(2);
    await exporter.close().catch(() => undefined);
    expect(said).toEqual([
      `--otlp: a push of live metrics to http://127.0.0.1:${port}/v1/metrics failed: it answered 400. The run continues without live metrics; its results are complete.`,
    ]);
  });
});

describe('an endpoint of live metrics', () => {
  const open = async () => {
    const exporter = await openMetricsEndpoint({ host: '127.0.0.1', port: 0 });
    const [, address = ''] =
      /^Live metrics: (http:\/\/127\.0\.0\.1:\d+\/metrics)$/.exec(exporter.announcement) ?? [];
    return { exporter, address };
  };

  it('serves what was recorded until it is closed, at its path only', async () => {
    const { exporter, address } = await open();
    recordSome(exporter);
    const answer = await fetch(address);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/openmetrics-text');
    const text = await answer.text();
    expect(text).toContain('weir_due 5\n');
    expect(text).toMatch(/weir_arrivals_total\{[^}]*outcome="completed"[^}]*\} 3\n/);
    expect(text.endsWith('# EOF\n')).toBe(true);
    const other = await fetch(new URL('/', address));
    expect([other.status, await other.text()]).toEqual([404, 'Metrics are at /metrics\n']);
    await exporter.close();
    await expect(fetch(address)).rejects.toThrow('fetch failed');
  });

  it('whose port is taken is a sentence', async () => {
    const { exporter, address } = await open();
    const port = Number(new URL(address).port);
    await expect(openMetricsEndpoint({ host: '127.0.0.1', port })).rejects.toThrow(
      `--metrics: 127.0.0.1:${port} cannot be used to listen: EADDRINUSE`,
    );
    await exporter.close();
  });
});
