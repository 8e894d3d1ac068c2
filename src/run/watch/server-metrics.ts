import { redactor } from '../../model/plan/secret.ts';
import { instant } from '../../model/quantity.ts';
import type { ConnectionSettings, Plan } from '../../model/plan/plan.ts';
import type { ServerMetrics } from '../../model/result/server-metrics.ts';
import { directWire, type TargetEndpoint } from '../../platform/connection/connector.ts';
import { originOf } from '../../platform/connection/request-path.ts';
import { openScraper } from '../../platform/http/scrape-metrics.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { metricOfLine } from '../../record/prometheus-sample.ts';
import { ServerReadings } from '../../record/server-readings.ts';
import type { ReadyTarget } from '../target/prepare-target.ts';
import type { RunObserver } from './observer.ts';

/** Reads the metrics of the server during a run. */
export interface ServerWatch extends RunObserver {
  /** Returns the metrics that were read; `undefined` if the plan does not ask for metrics. */
  readonly collected: () => ServerMetrics | undefined;
  readonly notes: () => readonly string[];
}

const noWatch: ServerWatch = { collected: () => undefined, notes: () => [] };

/** A scrape is given up after this many ms, since the values of a later answer would belong to an unknown moment. */
const scrapeTimeout = 2000;

/** Returns the address of the metrics. An address that begins with a slash is relative to the target. */
export const metricsAddress = (metrics: string, baseUrl: string): string =>
  metrics.startsWith('/') ? `${originOf(baseUrl)}${metrics}` : metrics;

const isSample = (line: string): boolean => /^[ \t]*[^ \t#]/.test(line);

/**
 * Returns the address and the connection settings for reading metrics. The client certificate is used only for a
 * connection to the target.
 */
export const metricsEndpoint = (
  url: string,
  wire: ConnectionSettings,
  { baseUrl, certificates }: Pick<ReadyTarget, 'baseUrl' | 'certificates'>,
): TargetEndpoint => {
  const isOfTarget = originOf(url) === originOf(baseUrl);
  return {
    url,
    wire: { ...(isOfTarget ? wire : directWire), http2: false },
    certificates: isOfTarget ? certificates : certificates && { ...certificates, client: null },
  };
};

/**
 * Creates the reader of the metrics that a plan's `server` names. Only the first failure is reported. A run never ends
 * because metrics cannot be read.
 */
export const watchServer = (
  { server, wire }: Plan,
  { baseUrl, certificates, secrets }: Pick<ReadyTarget, 'baseUrl' | 'certificates' | 'secrets'>,
  warn: (text: string) => void,
): ServerWatch => {
  if (server === undefined) return noWatch;
  const url = metricsAddress(server.metrics, baseUrl);
  const readings = new ServerReadings(url, server.every, server.figures);
  const scraper = openScraper(metricsEndpoint(url, wire, { baseUrl, certificates }), {
    userAgent: `weir/${weirVersion()}`,
    isWanted: (line) => {
      const metric = metricOfLine(line);
      if (metric === '' && isSample(line)) readings.noteUnread(line);
      return readings.wants(metric);
    },
    timeout: scrapeTimeout,
  });
  let stop = (): void => undefined;
  let isBusy = false;
  let isWarned = false;
  let isOver = false;
  const say = (reason: string | null): void => {
    if (reason === null || isWarned) return;
    isWarned = true;
    warn(
      `The server’s metrics at ${url} could not be read: ${reason}. The run goes on, and so do the readings.`,
    );
  };
  return {
    onStart: ({ clock }) => {
      const read = async (): Promise<void> => {
        // While one scrape is in progress, no second scrape is started.
        if (isBusy || isOver || clock.now() < 0) return;
        isBusy = true;
        const sent = clock.now();
        const scrape = await scraper.scrape();
        isBusy = false;
        if (isOver) return;
        const received = instant(Math.max(sent, clock.now()));
        say(scrape.ok ? readings.add(scrape.lines, sent, received) : readings.fail(scrape.reason));
      };
      stop = clock.every(server.every, () => void read());
    },
    onEnd: () => {
      isOver = true;
      stop();
    },
    collected: () => readings.result(),
    notes: () => readings.notes().map(redactor(secrets)),
    close: () => scraper.close(),
  };
};
