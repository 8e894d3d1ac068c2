import { toLedgerEntry, toLedgerRow, type Ledger } from '../../../model/observation/ledger.ts';
import type { Result } from '../../../model/result/result.ts';
import { sliceNoun } from '../../../model/result/slice-name.ts';
import { missingSlices } from '../../../model/result/summary.ts';

/** Returns the maximum difference between the clocks of the slices, in ms; `null` if it is unknown. */
const clockError = ({ slices }: Result): number | null => {
  if (slices.length === 1 || sliceNoun(slices) === 'worker') return 0;
  let error = 0;
  for (const { clockOffset } of slices) {
    if (clockOffset === undefined) return null;
    error = Math.max(error, clockOffset.uncertainty);
  }
  return error;
};

/** Widens every interval of a ledger at both ends. */
const widen = ({ rows, ...ledger }: Ledger, error: number): Ledger => ({
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
 * Returns the ledgers of a run by one clock. Those of one process are unchanged; where a coordinator compared the
 * clocks, every interval is widened by the uncertainty of their offsets. Returns `null` if the slices have separate
 * clocks, or if one is missing, since it used the same keys.
 */
export const ledgersOfOneClock = (result: Result): readonly Ledger[] | null => {
  const { slices, ledger } = result;
  const isWhole = missingSlices(result).length === 0;
  // One machine's slice may be judged alone; its judge knows that it is incomplete.
  const isAlone = slices.length === 1 && sliceNoun(slices) === 'slice';
  const error = isWhole || isAlone ? clockError(result) : null;
  if (error === null) return null;
  return error === 0 ? ledger : ledger.map((each) => widen(each, error));
};
