/**
 * The slices of a run make a snapshot for their checkpoint at this interval, in ms. A live page also uses the
 * snapshots. The interval is in shared memory, so workers notice a change at once.
 */
export type SnapshotPace = Int32Array<SharedArrayBuffer>;

/**
 * The usual interval in ms. A killed run may lose at most ten seconds, so this interval leaves time for a slow write.
 */
const usualInterval = 5000;
/** The interval while somebody views the live page, in ms. */
const watchedInterval = 1000;

export const createSnapshotPace = (): SnapshotPace =>
  new Int32Array(new SharedArrayBuffer(4)).fill(usualInterval);

export const setWatched = (pace: SnapshotPace, isWatched: boolean): void => {
  Atomics.store(pace, 0, isWatched ? watchedInterval : usualInterval);
};

/** Returns the interval between two snapshots in ms. */
export const snapshotInterval = (pace: SnapshotPace): number => Atomics.load(pace, 0);
