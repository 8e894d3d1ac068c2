import { expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { sampleFacts } from '../record/sample-facts.fixture.ts';
import { emptyTally } from '../record/tally.ts';
import { runFacts } from './input/run-facts.ts';
import { resultOfRun } from './result-of-run.ts';

it('a result has the notes of all parts in the order in which they were learned', () => {
  const plan = samplePlan();
  const { slices } = sampleFacts([{ index: 0, count: 1 }]);
  const driven = { workerResults: [], slices, loadEnded: 1234, breach: null, notes: ['load'] };
  const breach = { text: 'errorRate < 1%', at: 5, observed: 3 };
  const opened = {
    facts: runFacts(plan, 'mine'),
    recorder: { whole: () => emptyTally(plan) },
    target: { notes: ['target'] },
    canary: { endNotes: () => ['canary'] },
    server: { notes: () => ['server'], collected: () => undefined },
  };
  const rest = { gatewayCounters: null, partial: 'half of it', notes: ['gateway'] };
  const result = (more: object = {}) =>
    resultOfRun(opened as never, { ...driven, ...more } as never, rest);
  const { notes, scheduled, partial, runId, breach: none } = result();
  expect(notes).toEqual(['target', 'load', 'canary', 'server', 'gateway']);
  expect([scheduled, partial, runId, none]).toEqual([1234, 'half of it', 'mine', undefined]);
  expect(result({ breach }).breach).toEqual(breach);
});
