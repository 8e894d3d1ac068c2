import type { Slice } from '../model/arrival.ts';
import type { Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { weirVersion } from '../platform/machine.ts';
import {
  type Exporter,
  type Put,
  putObservation,
  type WatchedRun,
} from '../platform/live-series.ts';
import type { MetricsAddress } from '../platform/metrics.ts';
import type { OtlpAddress } from '../platform/otlp.ts';
import type { Live } from './live.ts';

/** Who is shown a run's figures while it is on. */
export interface MetricsOrder {
  /** Where they are offered to be fetched. */
  readonly metrics: MetricsAddress | null;
  /** Where they are pushed. */
  readonly otlp: OtlpAddress | null;
}

/** A run's figures while it is on, for machines. */
export interface LiveMetrics {
  /** A line for each exporter. */
  readonly told: readonly string[];
  note(observation: Observation): void;
  /** Arrivals so far, and exchanges under way. */
  moved(motion: { readonly due: number; readonly inFlight: number }): void;
  close(): Promise<void>;
}

/** The libraries of metrics are loaded only where they are asked for. */
const exportersFor = async (
  { metrics, otlp, say }: MetricsOrder & { readonly say: (text: string) => void },
  run: WatchedRun,
): Promise<readonly Exporter[]> => {
  const exporters: Exporter[] = [];
  if (metrics !== null) {
    const { openMetrics } = await import('../platform/metrics.ts');
    exporters.push(await openMetrics(metrics));
  }
  if (otlp !== null) {
    const { openOtlp } = await import('../platform/otlp.ts');
    exporters.push(openOtlp(otlp, run, say));
  }
  return exporters;
};

/** Opens what was asked for; a port that is taken is a `Problem`, a collector that is away is none. */
export const metricsOf = async (
  { name: scenario, stages }: Plan,
  { runId, slice }: { readonly runId: string; readonly slice: Slice },
  order: Parameters<typeof exportersFor>[0],
): Promise<LiveMetrics> => {
  const names = stages.map((stage) => stage.name);
  // Slices of a run write series of their own.
  const instance = slice.count === 1 ? runId : `${runId}/${slice.index}`;
  const version = weirVersion();
  const exporters = await exportersFor(order, { scenario, version, instance });
  const put: Put = (series, value, labels) => {
    for (const exporter of exporters) exporter.put(series, value, labels);
  };
  put('run', 1, { scenario, run_id: runId, version });
  let ended = 0;
  const moved: LiveMetrics['moved'] = ({ due, inFlight }) => {
    put('due', due, {});
    put('inFlight', inFlight, {});
  };
  return {
    told: exporters.map(({ told }) => told),
    note: (observation) => {
      ended += 1;
      if (exporters.length > 0) putObservation(put, names, observation);
    },
    moved,
    close: async () => {
      // The last push tells the end, where every arrival has become one observation.
      moved({ due: ended, inFlight: 0 });
      await Promise.all(exporters.map((exporter) => exporter.close()));
    },
  };
};

/** What people and what machines see of a run while it is on. */
export const shownAndMeasured = (live: Live | null, metrics: LiveMetrics): Live => ({
  note: (observation) => {
    live?.note(observation);
    metrics.note(observation);
  },
  add: (news) => live?.add(news),
  draw: (now, motion) => {
    live?.draw(now, motion);
    metrics.moved(motion);
  },
});
