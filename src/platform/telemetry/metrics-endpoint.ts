import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Problem } from '../problem.ts';
import type { MetricsExporter } from './live-series.ts';
import { OpenMetrics, openMetricsType } from './open-metrics.ts';

export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * Serves a run's metrics in OpenMetrics until `close` is called. Throws a `Problem` if the server cannot listen at the
 * address.
 */
export const openMetricsEndpoint = async ({
  host,
  port,
}: MetricsAddress): Promise<MetricsExporter> => {
  const metrics = new OpenMetrics();
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end('Metrics are at /metrics\n');
      return;
    }
    response.writeHead(200, { 'content-type': openMetricsType }).end(metrics.text());
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
    record: metrics.record,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
