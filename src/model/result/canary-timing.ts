/** Time between two events of a self-test stream in ms, on average: that of the tokens of a typical model. */
export const canaryEventInterval = 50;

/**
 * The self-test streams of a loop. Each of their events comes alone, as a token does: several at once would keep the
 * reader waiting where both processes share a core.
 */
export const canaryStreamCount = 5;
