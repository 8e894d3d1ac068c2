import { openScraper } from '../../platform/http/scrape-metrics.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { metricOfLine, readPrometheusSample } from '../../record/prometheus-sample.ts';
import { type FigureSource, metricsOf, serverSources } from '../../record/server-sources.ts';
import type { ReadyTarget } from '../../run/target/prepare-target.ts';
import { metricsAddress, metricsEndpoint } from '../../run/watch/server-metrics.ts';
import type { HangUpPorts, ServedLoad } from './experiment/hang-ups.ts';

const scrapeTimeout = 2000;

const sources = Object.values(serverSources).map(({ running, outputTokens }) => ({
  running: metricsOf(running),
  outputTokens: metricsOf(outputTokens satisfies FigureSource),
}));
const wanted = new Set(
  sources.flatMap(({ running, outputTokens }) => [...running, ...outputTokens]),
);

/**
 * Adds up the series of a metric; `null` if the server has no such metric. A series for one priority is left out, since
 * it is a part of another series.
 */
const sumOf = (lines: readonly string[], names: readonly string[]): number | null => {
  const values = lines
    .map(readPrometheusSample)
    .flatMap((sample) =>
      sample !== null &&
      names.includes(sample.name) &&
      sample.labels.every(([label, value]) => label !== 'priority' || value === '')
        ? [sample.value]
        : [],
    );
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
};

const loadIn = (lines: readonly string[]): ServedLoad | null => {
  for (const { running, outputTokens } of sources) {
    const requests = sumOf(lines, running);
    if (requests !== null) return { running: requests, outputTokens: sumOf(lines, outputTokens) };
  }
  return null;
};

/**
 * Opens a reader of the number of requests that run on a server. The number comes from the metrics that the scenario
 * names, or from those of the mock.
 */
export const openServingLoad = (
  { server, wire }: Plan,
  target: ReadyTarget,
): { readonly load: HangUpPorts['load']; readonly close: () => Promise<void> } => {
  const address = server?.metrics ?? (target.mock === null ? null : '/metrics');
  if (address === null)
    return { load: () => Promise.resolve(null), close: () => Promise.resolve() };
  const endpoint = metricsEndpoint(metricsAddress(address, target.baseUrl), wire, target);
  const scraper = openScraper(endpoint, {
    userAgent: `weir/${weirVersion()}`,
    isWanted: (line) => wanted.has(metricOfLine(line)),
    timeout: scrapeTimeout,
  });
  const load = async (): Promise<ServedLoad | null> => {
    const scrape = await scraper.scrape();
    return scrape.ok ? loadIn(scrape.lines) : null;
  };
  return { load, close: () => scraper.close() };
};
