import { decodeHistogram } from '../../model/measures/histogram.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result, SliceRun } from '../../model/result/result.ts';
import { sliceName } from '../../model/result/slice-name.ts';
import { type Block, column, table } from '../document/document.ts';
import { figureText } from '../text/number-text.ts';

const offsetText = ({ clockOffset }: SliceRun): string => {
  if (clockOffset === undefined) return 'not measured';
  const { offset, uncertainty } = clockOffset;
  const sign = offset < 0 ? '−' : '+';
  return `${sign}${figureText(Math.abs(offset))} ± ${figureText(uncertainty)}`;
};

const lagText = ({ lag }: SliceRun, q: number): string => {
  const found = lag === undefined ? null : quantile(decodeHistogram(lag), q);
  return found === null ? '–' : figureText(found.value);
};

/** A row for each slice that a coordinator joined: where it ran, its clock, how late it started requests, and the verdict on it; `null` for other runs. */
export const sliceTable = (result: Result): Block | null => {
  const { slices } = result;
  if (slices.every(({ host }) => host === undefined)) return null;
  return table<SliceRun>(
    'Slices: clocks and lags in ms; a clock is ahead (+) of the coordinator’s or behind it (−)',
    [
      column.name('Slice', (slice) => sliceName(result, slice)),
      column.text('Machine', ({ host = '–' }) => host),
      column.number('Clock', offsetText),
      column.number('Lag p50', (slice) => lagText(slice, 0.5)),
      column.number('Lag p99', (slice) => lagText(slice, 0.99)),
      column.text('Trust', ({ trust = '–' }) => trust),
    ],
    slices,
  );
};
