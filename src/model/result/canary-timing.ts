/** Between two events of a stream, in ms: as many as a usual model's tokens. */
export const canaryEventInterval = 50;

/**
 * Each stream sends an event every 50 ms, half of them in one beat and half in the other: waking two
 * processes costs more than ten events do.
 */
export const canaryPhaseCount = 2;
