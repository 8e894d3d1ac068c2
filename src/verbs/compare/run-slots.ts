export interface RunSlot {
  readonly side: 'base' | 'next';
  readonly folder: string;
}

/** `n` runs of one side, or of both sides in the order ABBA, so that a drift of the environment affects both equally. */
export const runSlots = (count: number, isComparison: boolean): readonly RunSlot[] =>
  Array.from({ length: count }, (_, i): readonly RunSlot[] => {
    if (!isComparison) return [{ side: 'next', folder: String(i + 1) }];
    const baseSlot: RunSlot = { side: 'base', folder: `base/${i + 1}` };
    const newSlot: RunSlot = { side: 'next', folder: `new/${i + 1}` };
    return i % 2 === 0 ? [baseSlot, newSlot] : [newSlot, baseSlot];
  }).flat();
