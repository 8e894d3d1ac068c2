import { describe, expect, it } from 'vitest';
import type { WorkerRecord } from './model/records.ts';
import { awaitedSlice, isSliceOver, type SliceState, withLoss, withRecord } from './lead-run.ts';

const record = (changes: Partial<WorkerRecord> = {}): WorkerRecord => ({
  worker: 'w',
  host: 'h',
  beat: 1,
  phase: 'running',
  message: null,
  clock: null,
  progress: null,
  result: null,
  ...changes,
});

const heard = (changes: Partial<WorkerRecord> = {}, at = 1000): SliceState =>
  withRecord(awaitedSlice(0), record(changes), at);

const silence = 10_000;
const running = { silence, hasStarted: true };

describe('a slice', () => {
  it('that nobody has yet is never lost', () => {
    expect(withLoss(awaitedSlice(0), 1e9, running).lost).toBeNull();
  });

  it('is lost once its worker was silent for too long, and not before', () => {
    expect(withLoss(heard(), 11_000, running).lost).toBeNull();
    expect(withLoss(heard(), 11_001, running).lost).toMatchObject({
      at: 11_001,
      why: 'no sign of life for 10 s',
    });
  });

  it('is not kept alive by a record that does not change', () => {
    const again = withRecord(heard(), record(), 9000);
    expect(withLoss(again, 11_001, running).lost).not.toBeNull();
    const beaten = withRecord(heard(), record({ beat: 2 }), 9000);
    expect(withLoss(beaten, 11_001, running).lost).toBeNull();
  });

  it('is lost if it fails after the start; before, nothing was sent', () => {
    const failed = heard({ phase: 'failed', message: 'not ready' });
    expect(withLoss(failed, 2000, running).lost).toMatchObject({ why: 'not ready' });
    expect(withLoss(failed, 2000, { silence, hasStarted: false }).lost).toBeNull();
  });

  it('that ended without its result is lost later', () => {
    const ended = heard({ phase: 'ended' });
    expect(withLoss(ended, 21_000, running).lost).toBeNull();
    expect(withLoss(ended, 21_001, running).lost).toMatchObject({
      why: 'its result did not arrive',
    });
    expect(withLoss({ ...ended, isCollected: true }, 1e9, running).lost).toBeNull();
  });

  it('stays lost, also if its worker comes back', () => {
    const lost = withLoss(heard(), 20_000, running);
    const back = withRecord(lost, record({ beat: 9 }), 20_500);
    expect(withLoss(back, 20_500, running).lost).toEqual(lost.lost);
  });

  it.each([
    ['running', heard(), false],
    ['collected', { ...heard({ phase: 'ended' }), isCollected: true }, true],
    ['ended, not collected', heard({ phase: 'ended' }), false],
    ['failed', heard({ phase: 'failed' }), true],
    ['just lost: its lease may still run', withLoss(heard(), 20_000, running), false],
  ] as const)('is over when nothing more can come of it: %s', (_, state, expected) => {
    expect(isSliceOver(state, 25_000, silence)).toBe(expected);
  });

  it('that is lost is over when its worker’s lease has certainly run out', () => {
    const lost = withLoss(heard(), 20_000, running);
    expect(isSliceOver(lost, 30_000, silence)).toBe(false);
    expect(isSliceOver(lost, 30_001, silence)).toBe(true);
  });
});
