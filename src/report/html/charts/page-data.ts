import { gzipSync } from 'node:zlib';
import { loadDuration } from '../../../model/plan/plan.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Chart, PageData } from './chart.ts';

/** The data for the page's script, as gzipped JSON in base64: a ten-minute run takes some tens of kilobytes. */
export const embeddedData = (result: Result, charts: readonly Chart[]): string => {
  const starts = result.plan.stages.map((_, i) =>
    result.plan.stages.slice(0, i).reduce((sum, { load }) => sum + loadDuration(load), 0),
  );
  const data: PageData = {
    warmUp: result.plan.warmUp / 1000,
    scheduled: result.scheduled / 1000,
    end: Math.max(result.scheduled, result.ended) / 1000,
    stages: result.plan.stages
      .map(({ name }, i) => ({ name, from: (starts[i] ?? 0) / 1000 }))
      .filter(({ from }, i) => i === 0 || from < result.scheduled / 1000),
    charts,
  };
  return gzipSync(JSON.stringify(data), { level: 9 }).toString('base64');
};
