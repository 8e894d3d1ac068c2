import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  type ExportedRun,
  type MetricsExporter,
  type RecordValue,
  recordWith,
} from './live-series.ts';

export interface OtlpAddress {
  /** The collector's full address, with the path for metrics. */
  readonly url: string;
  /** The time between two pushes, in ms. */
  readonly interval: number;
}

/**
 * The maximum time for one push, in ms. A collector that does not respond delays the end of a run by at most this time.
 */
const exportTimeout = 3000;

/** The maximum number of series. The SDK's default of 2,000 series is too low for many keys and stages. */
const cardinality = 100_000;

/** Returns an address without its user, password and query, which may contain a key. */
const withoutCredentials = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
};

/** Describes an error only by its code, since its message may contain a header. */
const reasonOf = (error: Error): string => {
  const code = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `it answered ${code}`;
  return typeof code === 'string' ? code : 'no valid answer';
};

/** Exports metrics like the SDK's exporter, and calls `failed` whenever a push fails. */
class ReportingExporter extends OTLPMetricExporter {
  readonly #failed: (error: Error) => void;

  constructor({ url }: OtlpAddress, failed: (error: Error) => void) {
    super({ url, timeoutMillis: exportTimeout });
    this.#failed = failed;
  }

  override export(...[metrics, done]: Parameters<OTLPMetricExporter['export']>): void {
    super.export(metrics, (result) => {
      if (result.error !== undefined) this.#failed(result.error);
      done(result);
    });
  }
}

/**
 * Returns the resource for OpenTelemetry, which describes the run by attributes. The environment variables
 * `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` override Weir's own values.
 */
const resourceOf = ({ scenario, instance, version }: ExportedRun) =>
  defaultResource()
    .merge(
      resourceFromAttributes({
        'service.name': 'weir',
        'service.version': version,
        'service.instance.id': instance,
        'weir.scenario': scenario,
      }),
    )
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));

const recordTo = (meter: ReturnType<MeterProvider['getMeter']>): RecordValue =>
  recordWith(({ kind, name, help: description, buckets }) => {
    if (kind === 'counter') {
      const counter = meter.createCounter(name, { description });
      return (value, labels) => counter.add(value, labels);
    }
    if (kind === 'gauge') {
      const gauge = meter.createGauge(name, { description });
      return (value, labels) => gauge.record(value, labels);
    }
    const advice = { explicitBucketBoundaries: [...buckets] };
    const histogram = meter.createHistogram(name, { description, unit: 's', advice });
    return (value, labels) => histogram.record(value, labels);
  });

/**
 * Pushes a run's metrics over OTLP/HTTP (JSON) during the run, and once more when the exporter is closed. The SDK reads
 * headers, certificates and compression from the standard environment variables (`OTEL_EXPORTER_OTLP_HEADERS` …).
 * `report` receives a message about the first failed push. A failed push never makes the run fail.
 */
export const openOtlp = (
  address: OtlpAddress,
  run: ExportedRun,
  report: (text: string) => void,
): MetricsExporter => {
  let hasReported = false;
  const exporter = new ReportingExporter(address, (error) => {
    if (hasReported) return;
    hasReported = true;
    report(
      `--otlp: a push of live metrics to ${withoutCredentials(address.url)} failed: ${reasonOf(error)}. The run continues without live metrics; its results are complete.`,
    );
  });
  const reader = new PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: address.interval,
    exportTimeoutMillis: Math.min(address.interval, 2 * exportTimeout),
    cardinalityLimits: { default: cardinality },
  });
  const provider = new MeterProvider({ resource: resourceOf(run), readers: [reader] });
  return {
    announcement: `Live metrics: pushed to ${withoutCredentials(address.url)} every ${address.interval / 1000} s`,
    record: recordTo(provider.getMeter('weir', run.version)),
    close: () => provider.shutdown(),
  };
};
