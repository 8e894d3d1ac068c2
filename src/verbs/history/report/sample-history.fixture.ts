import { drawFrom } from '../../../model/workload/draw.ts';
import type { StoredRun } from '../../../model/series/history.ts';
import type { Trend } from '../model/trend.ts';
import { hostileText } from '../../../report/fixtures/sample-answers.fixture.ts';

/** Test support: a history of forty runs. TTFT rises by a quarter at the 27th run. The plan has a hostile name. */

const label = { unit: 'ms', better: 'lower', scale: 'ratio', effect: 0.1, floor: 5 } as const;
const ids = ['chat-stream ttft.p50', 'chat-stream ttft.p95'] as const;
const names = ['chat-stream TTFT p50', 'chat-stream TTFT p95'] as const;

const valueOf = (run: number, figure: number): number => {
  const noise = 1 + 0.08 * (drawFrom(3, run, figure).uniform() - 0.5);
  return [200, 260][figure]! * noise * (run >= 27 && figure === 0 ? 1.25 : 1);
};

const sampleRun = (id: number): StoredRun => ({
  id,
  file: `/work/reports/${id}/result.json`,
  planHash: 'a'.repeat(64),
  plan: hostileText,
  target: 'https://host/v1',
  weir: '0.1.0',
  startedAt: new Date(Date.UTC(2026, 5, id, 10, 20)).toISOString(),
  trust: id % 13 === 0 ? 'degraded' : 'valid',
  verdicts: [{ text: 'ttft.p95 < 300ms', ruling: id % 9 === 0 ? 'fail' : 'pass' }],
  baselines: id === 20 ? ['main'] : [],
  figures: ids.map((each, i) => ({
    id: each,
    label: names[i]!,
    value: valueOf(id, i),
    ...label,
  })),
});

export const sampleTrend = (): Trend => {
  const runs = Array.from({ length: 40 }, (_, i) => sampleRun(i + 1));
  const { planHash, plan, target } = runs[0]!;
  return {
    planHash,
    plan,
    target,
    runs,
    figures: ids.map((id, i) => ({
      id,
      label: names[i]!,
      unit: 'ms',
      better: 'lower',
      scale: 'ratio',
      points: runs.map((run) => ({ run: run.id, value: run.figures[i]!.value })),
      changes:
        i === 0
          ? [{ run: 27, before: 200, after: 250, p: 0.001, direction: 'worse' as const }]
          : [],
    })),
  };
};
