/**
 * The mean time between two events of a self-test stream, in ms. It equals the time between two tokens of a typical
 * model.
 */
export const canaryEventInterval = 50;

/** The number of self-test streams of an event loop. It is small, so each event arrives alone, as tokens do. */
export const canaryStreamCount = 5;
