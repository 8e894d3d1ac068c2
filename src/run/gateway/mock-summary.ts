import { countText, plural } from '../../report/text/number-text.ts';

/** How requests end, as the gateway's counters sum them up, in the order in which they are told. */
const outcomesInOrder = ['completed', 'limited', 'refused', 'faulted', 'aborted', 'cut'] as const;

/** What the reference gateway says when it ends: how many requests it received, and how they ended. */
export const mockSummaryText = (counters: Readonly<Record<string, number>>): string => {
  const { received = 0 } = counters;
  if (received === 0) return 'Ended; no request came.';
  const parts = outcomesInOrder
    .filter((end) => counters[end]! > 0)
    .map((end) => `${countText(counters[end]!)} ${end}`);
  return `Ended; of ${plural(received, 'request')}: ${parts.join(', ')}.`;
};
