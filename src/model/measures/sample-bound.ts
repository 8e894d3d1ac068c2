/** Histograms count whole thousandths of a measure’s unit. */
export const thousandths = 1000;

/** Samples have to be smaller than this, in the measure's unit, for their thousandths to be exact. */
export const sampleUpperBound = Number.MAX_SAFE_INTEGER / thousandths;
