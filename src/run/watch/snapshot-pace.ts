/**
 * How often the slices of a run make snapshots of their checkpoint, from which a live page is also made. It is in
 * shared memory, so that workers see a change at once.
 */
export type SnapshotPace = Int32Array<SharedArrayBuffer>;

/**
 * The usual interval in ms: half of the ten seconds that a killed run may lose, so that a slow write stays within that
 * bound.
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
