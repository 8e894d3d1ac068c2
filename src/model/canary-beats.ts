/**
 * Each stream sends an event every 50 ms, half of them in one beat and half in the other: waking two
 * processes costs more than ten events do.
 */
export const canaryBeats = 2;
