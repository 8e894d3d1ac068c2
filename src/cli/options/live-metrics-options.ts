import type { MetricsExportOptions } from '../../run/input/run-request.ts';
import { isIPv6 } from 'node:net';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';
import { inGroup, textOption, UsageProblem } from './define-verb.ts';

export const liveMetricsOptions = inGroup('Output:', {
  metrics: textOption('Serve live OpenMetrics at PORT of 127.0.0.1, or at HOST:PORT'),
  otlp: textOption('Push live metrics over OTLP/HTTP to URL, or to OTEL_EXPORTER_OTLP_ENDPOINT'),
});

/** `9464`, `0.0.0.0:9464`, `[::1]:9464`. Without a host, only this machine can connect. */
const metricsAddress = (text: string | undefined): MetricsAddress | null => {
  if (text === undefined) return null;
  const [, bracketed, plain, port = ''] =
    /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const isBad =
    port === '' || Number(port) > 65_535 || (bracketed !== undefined && !isIPv6(bracketed));
  if (isBad) throw new UsageProblem(`--metrics: expected PORT or HOST:PORT, got "${text}"`);
  return { host: bracketed ?? plain ?? '127.0.0.1', port: Number(port) };
};
type Environment = Readonly<NodeJS.ProcessEnv>;

/** OpenTelemetry's own default. */
const defaultEndpoint = 'http://localhost:4318';

const metricsPath = 'v1/metrics';

/** In ms; OpenTelemetry's default of a minute would show a short load test only at its end. */
const defaultInterval = 5000;

const parsed = (text: string, from: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageProblem(
      from === '--otlp'
        ? `--otlp: expected http://HOST:PORT or nothing, got "${text}"; without an address it comes last or is followed by an option`
        : `${from}: expected http://HOST:PORT, got something else`,
    );
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageProblem(
      `${from}: an address must not contain a password; put it into OTEL_EXPORTER_OTLP_HEADERS, as authorization=Basic%20…`,
    );
  }
  return url;
};

/** Appends the metrics path to a base address, as the specification of OTLP exporters says; leaves a full address unchanged. */
const withMetricsPath = (url: URL): string => {
  if (!url.pathname.endsWith(`/${metricsPath}`))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${metricsPath}`;
  return url.href;
};

/** The address that `--otlp` gives, or else the standard variables; an empty variable is not set. */
const urlFrom = (text: string, environment: Environment): string => {
  if (text !== '') return withMetricsPath(parsed(text, '--otlp'));
  const { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own = '', OTEL_EXPORTER_OTLP_ENDPOINT: base = '' } =
    environment;
  // The specification uses the address for metrics unchanged.
  if (own !== '') return parsed(own, 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT').href;
  const address = base === '' ? defaultEndpoint : base;
  return withMetricsPath(parsed(address, 'OTEL_EXPORTER_OTLP_ENDPOINT'));
};

const intervalFrom = ({ OTEL_METRIC_EXPORT_INTERVAL: text = '' }: Environment): number => {
  if (text === '') return defaultInterval;
  const interval = Number(text);
  if (Number.isSafeInteger(interval) && interval >= 100 && interval < 2 ** 31) return interval;
  throw new UsageProblem(
    `OTEL_METRIC_EXPORT_INTERVAL: expected milliseconds, at least 100, got "${text}"`,
  );
};

/**
 * The exporters that the command line asks for. Variables alone start none, since they are often set for other
 * programs, and a run must not contact a third party unasked.
 */
export const metricsExportFrom = (
  { metrics, otlp }: { readonly metrics: string | undefined; readonly otlp: string | undefined },
  environment: Environment = process.env,
): MetricsExportOptions => ({
  metrics: metricsAddress(metrics),
  otlp:
    otlp === undefined
      ? null
      : { url: urlFrom(otlp, environment), interval: intervalFrom(environment) },
});
