import { toLedgerEntry, toLedgerRow, type Ledger } from '../../../model/observation/ledger.ts';
import type { Result } from '../../../model/result/result.ts';
import { sliceNoun } from '../../../model/result/slice-name.ts';
import { missingSlices } from '../../../model/result/summary.ts';

/** By how much the instants of the slices can differ from those of one clock, in ms; `null` if that is unknown. */
const clockError = ({ slices }: Result): number | null => {
  if (slices.length === 1 || sliceNoun(slices) === 'worker') return 0;
  let error = 0;
  for (const { clockOffset } of slices) {
    if (clockOffset === undefined) return null;
    error = Math.max(error, clockOffset.uncertainty);
  }
  return error;
};

/** Every interval of a ledger, wider at both ends. */
const widened = ({ rows, ...ledger }: Ledger, error: number): Ledger => ({
  ...ledger,
  rows: rows.map((row) => {
    const { sent, answered, ended, ...entry } = toLedgerEntry(row);
    return toLedgerRow({
      ...entry,
      sent: sent - error,
      answered: answered + error,
      ended: ended + error,
    });
  }),
});

/**
 * The ledgers of a run by one clock: as they are for one process, and with every interval widened by what is not known of the
 * clocks' offsets where a coordinator compared them. `null` where the slices have separate clocks, or one is missing: it used
 * the same keys.
 */
export const ledgersOfOneClock = (result: Result): readonly Ledger[] | null => {
  const { slices, ledger } = result;
  const isWhole = missingSlices(result).length === 0;
  // One machine's slice by itself: what it proves, its judge knows to be incomplete.
  const isAlone = slices.length === 1 && sliceNoun(slices) === 'slice';
  const error = isWhole || isAlone ? clockError(result) : null;
  if (error === null) return null;
  return error === 0 ? ledger : ledger.map((each) => widened(each, error));
};
