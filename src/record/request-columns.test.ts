import { describe, expect, it } from 'vitest';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Observation } from '../model/observation/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { requestColumns, requestRow, type RowContext } from './request-columns.ts';
import { refusedWith, sampleObservation, sampleStream } from './sample-observations.fixture.ts';

const [stage] = samplePlan().stages;
const zero = Date.parse('2026-07-01T10:20:30.000Z');
const context: RowContext = { plan: samplePlan(), zero };

const cellsOf = (changes: Partial<Observation>, at = context) => {
  const row = requestRow(sampleObservation(changes), at);
  return Object.fromEntries(requestColumns.map(({ name }, place) => [name, row[place]]));
};
const streamed = (moments: readonly number[]): Partial<Observation> => ({
  traffic: 'chat-stream',
  outcome: { kind: 'completed', answer: sampleStream(moments) },
});
const dropped: Partial<Observation> = { outcome: { kind: 'dropped', cause: 'saturated' } };

describe('the row of a request', () => {
  it.each<[string, Partial<Observation>]>([
    ['completed', {}],
    ['streamed', streamed([5100, 5150])],
    ['refused', { outcome: refusedWith('no') }],
    ['dropped', { ...dropped, head: null }],
  ])('has null for each value that does not exist: %s', (_, changes) => {
    expect(Object.values(cellsOf(changes))).not.toContain(undefined);
    expect(cellsOf(changes)).toMatchObject({ population: null, target: null, entry: null });
  });

  it('has the names of its stage, its population and their target', () => {
    const plan = samplePlan({
      stages: [{ ...stage!, population: 'evening' }],
      populations: [
        {
          name: 'evening',
          after: milliseconds(0),
          keys: [{ name: 'main', weight: 1 }],
          retry: null,
          target: 'west',
        },
      ],
    });
    expect(cellsOf({ entry: 'short' }, { plan, zero })).toMatchObject({
      stage: stage!.name,
      population: 'evening',
      target: 'west',
      entry: 'short',
    });
    expect(cellsOf({ stage: 7 })).toMatchObject({ stage: 'stage 7', population: null });
  });

  it('has when it was due by the wall clock and by the run, and whether that was in the warm-up', () => {
    const plan = { ...samplePlan(), warmUp: milliseconds(5000) };
    expect(cellsOf({ due: instant(5000.4) }, { plan, zero })).toMatchObject({
      due_at: zero + 5000,
      due_ms: 5000.4,
      warm_up: false,
    });
    expect(cellsOf({ due: instant(4999.9) }, { plan, zero }).warm_up).toBe(true);
  });

  it('says whether the client was to hang up', () => {
    expect(cellsOf({ toCancel: true })['hang_up']).toBe(true);
    expect(cellsOf({})['hang_up']).toBe(false);
  });

  it('has its times to a thousandth of a millisecond', () => {
    const cells = cellsOf({ due: instant(5000.1234), ended: instant(5200.5678) });
    expect(cells).toMatchObject({ due_ms: 5000.123, elapsed_ms: 200.444, end_to_end_ms: 200.444 });
  });

  it('has no time and no status if it was never sent', () => {
    expect(cellsOf(dropped)).toMatchObject({
      outcome: 'dropped',
      failure: 'saturated',
      status: null,
      elapsed_ms: null,
      lag_ms: null,
    });
  });

  it('has the middle gap of a stream, and the lower of two middle ones', () => {
    expect(cellsOf(streamed([5100, 5110, 5140, 5190])).gap_p50_ms).toBe(30);
    expect(cellsOf(streamed([5100, 5110, 5140])).gap_p50_ms).toBe(10);
    expect(cellsOf(streamed([5100, 5110])).gap_p50_ms).toBe(10);
    expect(cellsOf(streamed([5100])).gap_p50_ms).toBeNull();
  });

  it('says whether its stream came in one piece, and has null for an answer that is no stream', () => {
    const bufferedIf = (buffered: boolean) =>
      cellsOf({
        traffic: 'chat-stream',
        outcome: { kind: 'completed', answer: sampleStream([5100, 5150], { buffered }) },
      }).buffered;
    expect([bufferedIf(true), bufferedIf(false), cellsOf({}).buffered]).toEqual([
      true,
      false,
      null,
    ]);
  });

  it('has its cost in the currency, and its tokens with their source', () => {
    expect(cellsOf({})).toMatchObject({
      cost: 0.000014,
      input_tokens: 10,
      output_tokens: 20,
      output_tokens_source: 'usage',
      requested_input_tokens: null,
      finish: 'stop',
    });
  });
});
