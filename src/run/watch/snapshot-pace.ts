/**
 * How often the slices of a run make snapshots: of their checkpoint, which is also what a live page is made from. It is
 * shared memory, so that workers follow it at once.
 */
export type SnapshotPace = Int32Array<SharedArrayBuffer>;

/** In ms; half of the ten seconds that a killed run may lose, so that a slow write still meets that bound. */
const usualInterval = 5000;
/** While somebody looks at the live page, in ms. */
const watchedInterval = 1000;

export const createSnapshotPace = (): SnapshotPace =>
  new Int32Array(new SharedArrayBuffer(4)).fill(usualInterval);

export const setWatched = (pace: SnapshotPace, isWatched: boolean): void => {
  Atomics.store(pace, 0, isWatched ? watchedInterval : usualInterval);
};

/** The interval between two snapshots in ms. */
export const snapshotInterval = (pace: SnapshotPace): number => Atomics.load(pace, 0);
