import type { WorkerRecord } from './model/records.ts';
import { timeText } from '../../report/text/number-text.ts';

/** What a coordinator knows of one slice: arithmetic only, time is an argument. */
export interface SliceState {
  readonly index: number;
  /** The last word of its worker; `null` before one has come. */
  readonly record: WorkerRecord | null;
  /** When its worker last gave a sign of life, in ms. */
  readonly heardAt: number;
  /** When and why it was counted as lost. */
  readonly lost: { readonly at: number; readonly why: string } | null;
  readonly isCollected: boolean;
}

export const awaitedSlice = (index: number): SliceState => ({
  index,
  record: null,
  heardAt: Number.NEGATIVE_INFINITY,
  lost: null,
  isCollected: false,
});

/** Takes what was read of a worker at `now`; a record that has not changed is no sign of life. */
export const withRecord = (
  state: SliceState,
  record: WorkerRecord | null,
  now: number,
): SliceState =>
  record === null || record.beat === state.record?.beat
    ? state
    : { ...state, record, heardAt: now };

const isOver = ({ record }: SliceState): boolean =>
  record?.phase === 'ended' || record?.phase === 'failed';

/** Counts a slice as lost if its worker was silent for too long, or failed after the start. */
export const withLoss = (
  state: SliceState,
  now: number,
  { silence, hasStarted }: { readonly silence: number; readonly hasStarted: boolean },
): SliceState => {
  const { record, heardAt, lost } = state;
  if (lost !== null || record === null) return state;
  if (record.phase === 'failed')
    return hasStarted ? { ...state, lost: { at: now, why: record.message ?? 'it failed' } } : state;
  const patience = isOver(state) ? 2 * silence : silence;
  if (state.isCollected || now - heardAt <= patience) return state;
  if (isOver(state)) return { ...state, lost: { at: now, why: 'its result did not arrive' } };
  return { ...state, lost: { at: now, why: `no sign of life for ${timeText(silence)}` } };
};

/**
 * Whether nothing more is to be expected of a slice, and certainly nothing is sent: its result was collected, it failed, or it
 * was lost so long ago that its worker's lease has run out.
 */
export const isSliceOver = (
  { record, lost, isCollected }: SliceState,
  now: number,
  silence: number,
): boolean =>
  isCollected || record?.phase === 'failed' || (lost !== null && now - lost.at > silence);
