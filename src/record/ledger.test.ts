import { describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { ledgerRecorder } from './ledger.ts';
import { sampleObservation } from './sample-observations.ts';

const ledgerOf = (observations: readonly Observation[], kept?: number) => {
  const recorder = ledgerRecorder(kept);
  const ledgers = recorder.empty();
  for (const observation of observations) recorder.record(ledgers, observation);
  return recorder.store(ledgers);
};
const sentAt = (sent: number, differing: Partial<Observation> = {}): Observation =>
  sampleObservation({ sent: instant(sent), ...differing });

describe('the ledger', () => {
  it('has a row for each answered request, by key, in the order of sending', () => {
    const head = sampleObservation().head!;
    expect(
      ledgerOf([
        sentAt(5100, { key: 'spare', head: { ...head, status: 429, quota: null } }),
        sentAt(5050),
        sentAt(5004),
      ]),
    ).toEqual([
      {
        key: 'main',
        rows: [
          [5004, 5190, 200, 60, 59, null, null],
          [5050, 5190, 200, 60, 59, null, null],
        ],
        left: 0,
      },
      { key: 'spare', rows: [[5100, 5190, 429, null, null, null, null]], left: 0 },
    ]);
  });

  it('has a row for each attempt, under its own key', () => {
    const refused = {
      ...sentAt(4000, { key: 'spare' }),
      ended: instant(4500),
      outcome: { kind: 'broken', cause: 'reset', detail: '', partial: null },
      wait: milliseconds(100),
      waitBy: 'backoff',
    } as const;
    expect(
      ledgerOf([sentAt(5004, { earlier: [refused] })]).map(({ key, rows }) => [key, rows[0]?.[0]]),
    ).toEqual([
      ['main', 5004],
      ['spare', 4000],
    ]);
  });

  it('has none for requests that were never sent or had no head', () => {
    expect(ledgerOf([sentAt(1, { head: null }), sampleObservation({ sent: null })])).toEqual([]);
  });

  it('keeps the first rows by sending and says how many more there were', () => {
    const [ledger] = ledgerOf(
      [9, 1, 8, 2, 7, 3, 6].map((sent) => sentAt(sent)),
      3,
    );
    expect(ledger?.rows.map(([sent]) => sent)).toEqual([1, 2, 3]);
    expect(ledger?.left).toBe(4);
  });

  it('holds at most twice as many rows as it keeps', () => {
    const recorder = ledgerRecorder(3);
    const ledgers = recorder.empty();
    for (let sent = 100; sent > 0; sent -= 1) {
      recorder.record(ledgers, sentAt(sent));
      expect(ledgers.get('main')!.rows.length).toBeLessThanOrEqual(6);
    }
  });
});
