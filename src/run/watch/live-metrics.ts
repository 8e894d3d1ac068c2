import type { MetricsExportOptions } from '../input/run-request.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import {
  type MetricsExporter,
  type RecordValue,
  recordLiveObservation,
  type ExportedRun,
} from '../../platform/telemetry/live-series.ts';
import type { LiveDisplay } from './live-display.ts';

/** A run's figures while it is on, for machines. */
export interface LiveMetrics {
  /** A line for each exporter. */
  readonly startupLines: readonly string[];
  record(observation: Observation): void;
  /** Arrivals so far, and exchanges under way. */
  recordMotion(motion: { readonly due: number; readonly inFlight: number }): void;
  close(): Promise<void>;
}

/** The libraries of metrics are loaded only where they are asked for. */
const exportersFor = async (
  { metrics, otlp, say }: MetricsExportOptions & { readonly say: (text: string) => void },
  run: ExportedRun,
): Promise<readonly MetricsExporter[]> => {
  const exporters: MetricsExporter[] = [];
  if (metrics !== null) {
    const { openMetricsEndpoint } = await import('../../platform/telemetry/metrics-endpoint.ts');
    exporters.push(await openMetricsEndpoint(metrics));
  }
  if (otlp !== null) {
    const { openOtlp } = await import('../../platform/telemetry/otlp.ts');
    exporters.push(openOtlp(otlp, run, say));
  }
  return exporters;
};

/** Opens what was asked for; a port that is taken is a `Problem`, a collector that is away is none. */
export const openLiveMetrics = async (
  { name: scenario, stages }: Plan,
  { runId, slice }: { readonly runId: string; readonly slice: Slice },
  exportOptions: Parameters<typeof exportersFor>[0],
): Promise<LiveMetrics> => {
  const names = stages.map((stage) => stage.name);
  // Slices of a run write series of their own.
  const instance = slice.count === 1 ? runId : `${runId}/${slice.index}`;
  const version = weirVersion();
  const exporters = await exportersFor(exportOptions, { scenario, version, instance });
  const put: RecordValue = (series, value, labels) => {
    for (const exporter of exporters) exporter.record(series, value, labels);
  };
  put('run', 1, { scenario, run_id: runId, version });
  let ended = 0;
  const recordMotion: LiveMetrics['recordMotion'] = ({ due, inFlight }) => {
    put('due', due, {});
    put('inFlight', inFlight, {});
  };
  return {
    startupLines: exporters.map(({ announcement }) => announcement),
    record: (observation) => {
      ended += 1;
      if (exporters.length > 0) recordLiveObservation(put, names, observation);
    },
    recordMotion,
    close: async () => {
      // The last push tells the end, where every arrival has become one observation.
      recordMotion({ due: ended, inFlight: 0 });
      await Promise.all(exporters.map((exporter) => exporter.close()));
    },
  };
};

/** What people and what machines see of a run while it is on. */
export const displayWithMetrics = (
  display: LiveDisplay | null,
  metrics: LiveMetrics,
): LiveDisplay => ({
  record: (observation) => {
    display?.record(observation);
    metrics.record(observation);
  },
  addFigures: (news) => display?.addFigures(news),
  draw: (now, motion) => {
    display?.draw(now, motion);
    metrics.recordMotion(motion);
  },
});
