import type { Plan } from '../model/plan.ts';
import { weirVersion } from '../platform/machine.ts';
import type { LiveMetrics, MetricsAddress } from '../platform/metrics.ts';
import type { Live } from './live.ts';

/** The library of metrics is loaded only where they are asked for. */
export const metricsOf = async (
  { name, stages }: Plan,
  runId: string,
  address: MetricsAddress | null,
): Promise<LiveMetrics | null> => {
  if (address === null) return null;
  const { openMetrics } = await import('../platform/metrics.ts');
  const run = { scenario: name, runId, version: weirVersion() };
  return openMetrics(address, { ...run, stages: stages.map((stage) => stage.name) });
};

/** What people and what machines see of a run while it is on. */
export const shownAndMeasured = (live: Live | null, metrics: LiveMetrics | null): Live => ({
  note: (observation) => {
    live?.note(observation);
    metrics?.note(observation);
  },
  add: (news) => live?.add(news),
  draw: (now, motion) => {
    live?.draw(now, motion);
    metrics?.moved(motion);
  },
});
