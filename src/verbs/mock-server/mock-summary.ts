import { countText, plural } from '../../report/text/number-text.ts';

const outcomesInOrder = ['completed', 'limited', 'refused', 'faulted', 'aborted', 'cut'] as const;

/** The last line of the reference gateway: how many requests it received, and how they ended. */
export const mockSummaryText = (counters: Readonly<Record<string, number>>): string => {
  const { received = 0 } = counters;
  if (received === 0) return 'Ended; no requests received.';
  const parts = outcomesInOrder
    .filter((end) => counters[end]! > 0)
    .map((end) => `${countText(counters[end]!)} ${end}`);
  return `Ended; of ${plural(received, 'request')}: ${parts.join(', ')}.`;
};
