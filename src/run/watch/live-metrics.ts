import type { MetricsExportOptions } from '../input/run-request.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { SliceProgress } from '../../engine/slice-options.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { loadOptional } from '../../platform/optional-package.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import {
  type MetricsExporter,
  type RecordValue,
  recordLiveObservation,
  type ExportedRun,
} from '../../platform/telemetry/live-series.ts';
import type { RunObserver } from './observer.ts';

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
    const { openOtlp } = await loadOptional(
      () => import('../../platform/telemetry/otlp.ts'),
      '--otlp',
      ['exporter-metrics-otlp-http', 'resources', 'sdk-metrics'].map(
        (name) => `@opentelemetry/${name}`,
      ),
    );
    exporters.push(openOtlp(otlp, run, say));
  }
  return exporters;
};

/**
 * Exports a run's figures during the run. Throws a `Problem` if the port is in use. If the collector does not answer,
 * the run continues.
 */
export const openLiveMetrics = async (
  { name: scenario, stages }: Plan,
  { runId, slice }: { readonly runId: string; readonly slice: Slice },
  exportOptions: Parameters<typeof exportersFor>[0],
): Promise<RunObserver> => {
  const names = stages.map((stage) => stage.name);
  // Each slice of a run has its own instance name, and so its own series.
  const instance = slice.count === 1 ? runId : `${runId}/${slice.index}`;
  const version = weirVersion();
  const exporters = await exportersFor(exportOptions, { scenario, version, instance });
  const put: RecordValue = (series, value, labels) => {
    for (const exporter of exporters) exporter.record(series, value, labels);
  };
  const recordProgress = ({ due, inFlight }: SliceProgress): void => {
    put('due', due, {});
    put('inFlight', inFlight, {});
  };
  let ended = 0;
  const record = (observation: Observation): void => {
    ended += 1;
    recordLiveObservation(put, names, observation);
  };
  put('run', 1, { scenario, run_id: runId, version });
  return {
    announcements: exporters.map(({ announcement }) => announcement),
    onObservation: record,
    onWorkerUpdate: ({ observations }) => {
      for (const observation of observations) record(observation);
    },
    onTick: (_, progress) => recordProgress(progress),
    close: async () => {
      // The last export shows the final state, in which every arrival has become an observation.
      recordProgress({ due: ended, inFlight: 0 });
      await Promise.all(exporters.map((exporter) => exporter.close()));
    },
  };
};
