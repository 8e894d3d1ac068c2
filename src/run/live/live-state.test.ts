import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { PageData } from '../../report/html/charts/chart.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { sampleFacts, sampleSliceRun } from '../../record/sample-facts.fixture.ts';
import { sampleObservation } from '../../record/sample-observations.fixture.ts';
import { LiveState } from './live-state.ts';

const { weir, runId, planHash, plan } = sampleFacts([{ index: 0, count: 1 }]);
const setup = { port: 0, weir, name: 'evening', planned: 60_000, report: 'reports/a/report.html' };

/** A run that makes a snapshot after some observations. */
const journal = () => {
  const tally = createIncrementalTally(samplePlan());
  const { generator, ...slice } = sampleSliceRun({ index: 0, count: 1 });
  let recorded = 0;
  return {
    header: { format: 'checkpoint/1', weir, runId, planHash, plan, slice, notes: [] },
    snapshot: (count: number, until: number): readonly object[] => {
      for (let i = 0; i < count; i += 1) tally.record(sampleObservation({ index: recorded++ }));
      const lines: object[] = [];
      const parts = tally.flush();
      let next = parts.next();
      for (; next.done !== true; next = parts.next()) lines.push({ slice: 0, ...next.value });
      return [
        ...lines,
        { slice: 0, until, scheduled: until, ended: next.value, generator: [...generator] },
      ];
    },
  };
};

const chartsOf = (state: LiveState): PageData['charts'] => {
  const [, text = ''] = /type="application\/octet-stream">([^<]*)</.exec(state.update())!;
  return (JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as PageData).charts;
};

const arrivalsIn = (page: string): string | undefined => /\d+ of \d+ arrivals?/.exec(page)?.[0];

describe('the page of a run under way', () => {
  it('says that nothing was sent before its clock starts', () => {
    const page = new LiveState(setup).update();
    expect(page).toContain('Preparing: no request has been sent yet.');
    expect(page).toContain('<h1>evening</h1>');
  });

  it('shows what each snapshot adds, and no verdict yet', () => {
    const state = new LiveState(setup);
    const { header, snapshot } = journal();
    state.add(header);
    expect(arrivalsIn(state.update())).toBeUndefined();
    const [part, ...rest] = snapshot(3, 1000);
    state.add(part);
    // Only a commit makes parts count.
    expect(arrivalsIn(state.update())).toBeUndefined();
    for (const line of rest) state.add(line);
    expect(arrivalsIn(state.update())).toBe('3 of 3 arrivals');
    for (const line of snapshot(2, 2000)) state.add(line);
    state.progress = { elapsed: 2100, due: 9, inFlight: 4 };
    const page = state.update();
    expect(arrivalsIn(page)).toBe('5 of 5 arrivals');
    expect(page).toContain('2 s of 60 s · 9 requests due · 4 in flight');
    expect(page).toContain('>Running</h2>');
    expect(page).not.toContain('stopped before its plan');
    expect(page).not.toContain('<style>');
  });

  it('draws no second that is not over, which would look like a drop to 0', () => {
    const state = new LiveState(setup);
    const { header, snapshot } = journal();
    state.add(header);
    const lengthsAt = (until: number): readonly number[] => {
      for (const line of snapshot(3, until)) state.add(line);
      const { lines } = chartsOf(state).find(({ id }) => id === 'flow')!;
      return lines.map(({ values }) => values.length);
    };
    expect(new Set(lengthsAt(2000))).toEqual(new Set([2]));
    expect(new Set(lengthsAt(3900))).toEqual(new Set([3]));
  });

  it('draws what was due and sent up to the oldest request in flight when the figures were made', () => {
    const state = new LiveState(setup);
    const { header, snapshot } = journal();
    state.add(header);
    const drawn = (label: string): number =>
      chartsOf(state)
        .find(({ id }) => id === 'flow')!
        .lines.find((line) => line.label === label)!
        .values.filter((value) => value !== null).length;
    const progress = { due: 9, inFlight: 4 };
    state.progress = { ...progress, elapsed: 8000, endedBefore: 6400 };
    // What has ended since the figures were made is in neither.
    state.progress = { ...progress, elapsed: 9200, endedBefore: 9200 };
    for (const line of snapshot(3, 9000)) state.add(line);
    expect([drawn('offered'), drawn('sent'), drawn('completed')]).toEqual([6, 6, 9]);
    for (const line of snapshot(3, 10_000)) state.add(line);
    expect([drawn('offered'), drawn('completed')]).toEqual([9, 10]);
  });
});
