import { createServer } from 'node:http';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import {
  type MetricsExporter,
  liveSeries,
  type RecordValue,
  type SeriesRow,
} from './live-series.ts';
import { Problem } from '../problem.ts';

/** The address of the metrics endpoint. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

type OpenMetrics = Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>;

type SeriesWriter = (value: number, labels: Readonly<Record<string, string>>) => void;

const seriesWriter = (registry: OpenMetrics, row: SeriesRow): SeriesWriter => {
  const { name, help, labels: labelNames } = row;
  const declared = { name, help, labelNames, registers: [registry] };
  if (row.kind === 'counter') {
    const counter = new Counter(declared);
    return (value, labels) => counter.inc(labels, value);
  }
  if (row.kind === 'gauge') {
    const gauge = new Gauge(declared);
    return (value, labels) => gauge.set(labels, value);
  }
  const histogram = new Histogram({ ...declared, buckets: [...row.buckets] });
  return (value, labels) => histogram.observe(labels, value);
};

const createRecord = (registry: OpenMetrics): RecordValue => {
  const writers = new Map<string, SeriesWriter>(
    Object.entries(liveSeries).map(([series, row]) => [series, seriesWriter(registry, row)]),
  );
  return (series, value, labels) => writers.get(series)!(value, labels);
};

const startServer = (
  registry: OpenMetrics,
  { host, port }: MetricsAddress,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> =>
  new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      if (request.url !== '/metrics') {
        response.writeHead(404).end('Metrics are at /metrics\n');
        return;
      }
      void registry.metrics().then((text) => {
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      });
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code ?? error.message;
      reject(new Problem(`--metrics: ${host}:${port} cannot be used to listen: ${reason}`));
    });
    server.listen(port, host, () => {
      const bound = server.address();
      resolve({
        port: typeof bound === 'object' && bound !== null ? bound.port : port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeAllConnections();
          }),
      });
    });
  });

/** Serves a run's metrics in OpenMetrics until closed; throws a `Problem` if the address is in use. */
export const openMetricsEndpoint = async (address: MetricsAddress): Promise<MetricsExporter> => {
  const registry: OpenMetrics = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const record = createRecord(registry);
  const { port, close } = await startServer(registry, address);
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return { announcement: `Live metrics: http://${host}:${port}/metrics`, record, close };
};
