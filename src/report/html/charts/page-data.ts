import { gzipSync } from 'node:zlib';
import { loadDuration } from '../../../model/plan/plan.ts';
import type { Milliseconds } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Chart, PageData } from './chart.ts';

/**
 * The data for the page's script, as gzipped JSON in base64: a ten-minute run takes some tens of kilobytes. The axes of a run
 * under way end where its load is `planned` to.
 */
export const embeddedData = (
  result: Result,
  charts: readonly Chart[],
  planned: Milliseconds = result.scheduled,
): string => {
  const starts = result.plan.stages.map((_, i) =>
    result.plan.stages.slice(0, i).reduce((sum, { load }) => sum + loadDuration(load), 0),
  );
  const data: PageData = {
    warmUp: result.plan.warmUp / 1000,
    scheduled: planned / 1000,
    end: Math.max(planned, result.ended) / 1000,
    stages: result.plan.stages
      .map(({ name }, i) => ({ name, from: (starts[i] ?? 0) / 1000 }))
      .filter(({ from }, i) => i === 0 || from < planned / 1000),
    charts,
  };
  return gzipSync(JSON.stringify(data), { level: 9 }).toString('base64');
};
