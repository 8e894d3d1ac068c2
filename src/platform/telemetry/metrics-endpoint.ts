import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type MetricsExporter, type RecordValue, recordWith } from './live-series.ts';
import { Problem } from '../problem.ts';

/** The address of the metrics endpoint. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

type OpenMetrics = Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>;

const recordIn = (registry: OpenMetrics): RecordValue =>
  recordWith(({ kind, name, help, labels: labelNames, buckets }) => {
    const declared = { name, help, labelNames, registers: [registry] };
    if (kind === 'counter') {
      const counter = new Counter(declared);
      return (value, labels) => counter.inc(labels, value);
    }
    if (kind === 'gauge') {
      const gauge = new Gauge(declared);
      return (value, labels) => gauge.set(labels, value);
    }
    const histogram = new Histogram({ ...declared, buckets: [...buckets] });
    return (value, labels) => histogram.observe(labels, value);
  });

/** Serves a run's metrics in OpenMetrics until closed; throws a `Problem` if the address is in use. */
export const openMetricsEndpoint = async ({
  host,
  port,
}: MetricsAddress): Promise<MetricsExporter> => {
  const registry: OpenMetrics = new Registry();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const record = recordIn(registry);
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end('Metrics are at /metrics\n');
      return;
    }
    void registry.metrics().then((text) => {
      response.writeHead(200, { 'content-type': registry.contentType }).end(text);
    });
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Problem(`--metrics: ${host}:${port} cannot be used to listen: ${code ?? message}`);
  }
  const bound = server.address() as AddressInfo;
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return {
    announcement: `Live metrics: http://${shownHost}:${bound.port}/metrics`,
    record,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
