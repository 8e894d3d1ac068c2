import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { liveSeries } from '../../platform/telemetry/live-series.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

interface Point {
  readonly asInt?: number | string;
  readonly asDouble?: number;
  readonly count?: number | string;
  readonly explicitBounds?: readonly number[];
  readonly bucketCounts?: readonly (number | string)[];
  readonly attributes: readonly { readonly key: string; readonly value: { stringValue: string } }[];
}

interface Metric {
  readonly name: string;
  readonly unit: string;
  readonly sum?: { readonly isMonotonic: boolean; readonly dataPoints: readonly Point[] };
  readonly gauge?: { readonly dataPoints: readonly Point[] };
  readonly histogram?: { readonly dataPoints: readonly Point[] };
}

interface Push {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly resourceMetrics: readonly {
      readonly resource: Pick<Point, 'attributes'>;
      readonly scopeMetrics: readonly { readonly metrics: readonly Metric[] }[];
    }[];
  };
}

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

/** A collector that keeps every push and answers with `status`. */
const collector = async (status: number) => {
  const pushes: Push[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      pushes.push({ path: request.url!, headers: request.headers, body: body as Push['body'] });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  open.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { pushes, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const load = 'run --target mock --kind chat-stream --model a/b --rate 20/s --duration 2s'.split(
  ' ',
);

const metricsIn = ({ body }: Push): readonly Metric[] =>
  body.resourceMetrics.flatMap(({ scopeMetrics }) =>
    scopeMetrics.flatMap(({ metrics }) => metrics),
  );

const attribute = ({ attributes }: Pick<Point, 'attributes'>, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

const numberOf = ({ asInt, asDouble }: Point): number => Number(asInt ?? asDouble);

describe('metrics pushed over OTLP', () => {
  it('reach a collector during the run and at its end, as the series of --metrics', async () => {
    const { pushes, url } = await collector(200);
    const out = await tempFolder();
    const { code, stderr } = await weir([...load, '--otlp', url, '--out', out], {
      OTEL_METRIC_EXPORT_INTERVAL: '500',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20sk-of-the-collector',
    });
    expect(stderr).toContain(`Live metrics: pushed to ${url}/v1/metrics every 0.5 s`);
    expect(code).toBe(exitOf(await resultIn(out), 0));
    expect(pushes.length).toBeGreaterThan(3);
    const last = pushes.at(-1)!;
    expect(last.path).toBe('/v1/metrics');
    expect(last.headers.authorization).toBe('Bearer sk-of-the-collector');
    const metrics = new Map(metricsIn(last).map((metric) => [metric.name, metric]));
    const names = Object.values(liveSeries).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...metrics.keys()]));
    const arrivals = metrics.get('weir_arrivals_total')!.sum!;
    expect(arrivals.isMonotonic).toBe(true);
    expect(arrivals.dataPoints.map((point) => attribute(point, 'outcome'))).toEqual(['completed']);
    expect(arrivals.dataPoints.map(numberOf)).toEqual([40]);
    const ttft = metrics.get('weir_ttft_seconds')!;
    expect(ttft.unit).toBe('s');
    const [waits] = ttft.histogram!.dataPoints;
    expect(Number(waits?.count)).toBe(40);
    expect(waits?.explicitBounds).toEqual(liveSeries.ttft.buckets);
    expect(numberOf(metrics.get('weir_due')!.gauge!.dataPoints[0]!)).toBe(40);
    expect(numberOf(metrics.get('weir_in_flight')!.gauge!.dataPoints[0]!)).toBe(0);
    const { resource } = last.body.resourceMetrics[0]!;
    expect(attribute(resource, 'service.name')).toBe('weir');
    expect(attribute(resource, 'service.instance.id')).toMatch(/^weir-[0-9a-f]{8}$/);
    expect(JSON.stringify(pushes.map(({ body }) => body))).not.toContain('sk-');
    expect(stderr).not.toContain('sk-of');
  });

  it('cause only one note if the collector refuses them or is down', async () => {
    const refusing = await collector(401);
    const away = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => away.once('listening', resolve));
    const gone = `http://127.0.0.1:${(away.address() as AddressInfo).port}`;
    await new Promise((resolve) => away.close(resolve));
    const pushTo = async (url: string) => {
      const out = await tempFolder();
      const ended = await weir([...load, '--otlp', url, '--out', out], {
        OTEL_METRIC_EXPORT_INTERVAL: '500',
      });
      return { ...ended, result: await resultIn(out) };
    };
    const [refused, unsent] = await Promise.all([pushTo(refusing.url), pushTo(gone)]);
    expect(refusing.pushes.length).toBeGreaterThan(2);
    expect(refused.stderr.match(/--otlp:.*/g)).toEqual([
      `--otlp: a push of live metrics to ${refusing.url}/v1/metrics failed: it answered 401. The run continues without live metrics; its results are complete.`,
    ]);
    expect(unsent.stderr.match(/--otlp:.*/g)).toEqual([
      `--otlp: a push of live metrics to ${gone}/v1/metrics failed: ECONNREFUSED. The run continues without live metrics; its results are complete.`,
    ]);
    for (const { code, result } of [refused, unsent]) {
      expect(code).toBe(exitOf(result, 0));
      expect(sumOutcomes(result.groups).completed).toBe(40);
    }
  });

  it('are not sent if only the environment names a collector', async () => {
    const { pushes, url } = await collector(200);
    const out = await tempFolder();
    const { stderr } = await weir([...load, '--out', out], { OTEL_EXPORTER_OTLP_ENDPOINT: url });
    expect(sumOutcomes((await resultIn(out)).groups).completed).toBe(40);
    expect(stderr).not.toContain('Live metrics');
    expect(pushes).toEqual([]);
  });
});
