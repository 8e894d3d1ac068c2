/**
 * The mean time between two events of a self-test stream, in ms. A typical model takes the same time between two
 * tokens.
 */
export const canaryEventInterval = 50;

/** The number of self-test streams of an event loop. The number is small, so each event arrives alone, as tokens do. */
export const canaryStreamCount = 5;
