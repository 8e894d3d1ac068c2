import { captureModes, type MetricsExportOptions } from '../../run/input/run-request.ts';
import { repetitionOptions, repetitionRequestFrom } from '../options/compare-options.ts';
import {
  defineVerb,
  inGroup,
  preflightOption,
  switchOption,
  textOption,
  UsageProblem,
} from '../options/define-verb.ts';
import {
  extraReportsFrom,
  historyFrom,
  historyOption,
  reportOptions,
  requestsOption,
} from '../options/output-options.ts';
import { liveOption, livePageFrom, openOption, openReport } from '../options/page-options.ts';
import {
  planSourceFrom,
  runIdFrom,
  scenarioOptions,
  sliceFrom,
  startAtFrom,
} from '../options/scenario-options.ts';
import { terminalHost } from '../options/terminal-host.ts';
import { isIPv6 } from 'node:net';
import type { MetricsAddress } from '../../platform/telemetry/metrics-endpoint.ts';

export const liveMetricsOptions = inGroup('Output:', {
  metrics: textOption('Serve live OpenMetrics at PORT of 127.0.0.1, or at HOST:PORT'),
  otlp: textOption('Push live metrics over OTLP/HTTP to URL, or to OTEL_EXPORTER_OTLP_ENDPOINT'),
});

/** Reads an address such as `9464`, `0.0.0.0:9464` or `[::1]:9464`. Without a host, only this machine can connect. */
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

/** The default address of an OpenTelemetry collector. */
const defaultEndpoint = 'http://localhost:4318';

const metricsPath = 'v1/metrics';

/**
 * The interval between two pushes in ms. With OpenTelemetry's default of a minute, a short load test would be shown
 * only at its end.
 */
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

/**
 * Appends the path for metrics to a base address, as the specification of OTLP exporters demands. An address with this
 * path stays unchanged.
 */
const withMetricsPath = (url: URL): string => {
  if (!url.pathname.endsWith(`/${metricsPath}`))
    url.pathname = `${url.pathname.replace(/\/$/, '')}/${metricsPath}`;
  return url.href;
};

/**
 * Returns the address from `--otlp`, or else from the standard environment variables. An empty variable counts as not
 * set.
 */
const urlFrom = (text: string, environment: Environment): string => {
  if (text !== '') return withMetricsPath(parsed(text, '--otlp'));
  const { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: own = '', OTEL_EXPORTER_OTLP_ENDPOINT: base = '' } =
    environment;
  // The specification of OpenTelemetry demands that the address in this variable is used unchanged.
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
 * Returns the exporters that the command line asks for. Environment variables alone start no exporter: they are often
 * set for other programs, and a run must not contact a third party unasked.
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

/** Throws a `UsageProblem` for an option that works only with a single run. */
const rejectOptionsOfOneRun = ({
  slice,
  startAt,
  live,
  open,
}: Readonly<Record<'slice' | 'startAt' | 'live', string | undefined>> & {
  readonly open: boolean;
}): void => {
  const given = { slice, 'start-at': startAt, live, open: open ? '' : undefined };
  const first = Object.entries(given).find(([, value]) => value !== undefined);
  if (first === undefined) return;
  throw new UsageProblem(
    `--${first[0]}: expected one run, got several: it belongs to one run, so leave --repeat and comparisons out`,
  );
};

export const runVerb = defineVerb({
  options: {
    ...scenarioOptions,
    ...reportOptions,
    ...requestsOption,
    ...repetitionOptions,
    ...historyOption,
    ...inGroup('Scenario:', {
      yes: switchOption('Run a plan even if it may exceed its budget or its pace'),
      'key-check': {
        type: 'boolean',
        default: true,
        describe: 'List the models with each key before the load; disable with --no-key-check',
      },
      ...preflightOption,
      'early-stop': {
        type: 'boolean',
        default: true,
        describe: 'Stop if the first 20 requests are refused alike; disable with --no-early-stop',
      },
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for result.json and report.html [reports/TIME-NAME]'),
      observations: textOption('Also write one JSON line for each request to this file'),
      capture: {
        choices: captureModes,
        describe: 'Also keep bodies in capture.jsonl, prompts included; keys are masked',
      },
    }),
    ...liveMetricsOptions,
    ...liveOption,
    ...openOption,
    ...inGroup('Scale:', {
      slice: textOption(
        'Run one slice of the plan, INDEX/COUNT, or auto under Kubernetes, Slurm, Swarm; `weir merge` joins them',
      ),
      'start-at': textOption('Begin the load at this instant, such as 2026-11-24T20:15:00Z'),
      'run-id': textOption('First part of every request id [derived from the plan]'),
    }),
  },
  run: async (given) => {
    const repetitions = repetitionRequestFrom(given);
    const host = terminalHost(given);
    const { warn } = host.printer;
    const request = {
      ...given,
      runId: runIdFrom(given.runId),
      source: planSourceFrom(given),
      metricsExport: metricsExportFrom(given),
      slice: sliceFrom(given.slice, process.env),
      startAt: startAtFrom(given.startAt),
      extraReports: extraReportsFrom(given, given.out),
      history: historyFrom(given),
      live: livePageFrom(given, warn),
    };
    if (repetitions !== null) {
      rejectOptionsOfOneRun(given);
      const { repeat } = await import('../../verbs/compare/repeat.ts');
      return repeat({ ...request, ...repetitions, printEach: given.json }, host);
    }
    const { runOnce } = await import('../../run/run.ts');
    const { exit, page } = await runOnce(request, host);
    if (given.open && page !== null && request.live === undefined) await openReport(page, warn);
    return exit;
  },
});
