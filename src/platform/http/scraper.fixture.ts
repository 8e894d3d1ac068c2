import { createServer, type RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { directWire } from '../connection/connector.ts';
import { type MetricsScraper, openScraper } from './scrape-metrics.ts';

/** A scraper of a server that answers with `listener`. Both are closed after the test. */

export const scraperOf = async (
  listener: RequestListener,
  timeout = 10_000,
): Promise<MetricsScraper> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const scraper = openScraper(
    { url: `http://127.0.0.1:${port}/metrics?a=1`, wire: directWire, certificates: null },
    { userAgent: 'weir/test', isWanted: (line) => line.startsWith('m'), timeout },
  );
  onTestFinished(async () => {
    await scraper.close();
    server.closeAllConnections();
    server.close();
  });
  return scraper;
};
