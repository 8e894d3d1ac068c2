import type { Observation } from '../model/observation.ts';

/**
 * Folds observations into a state, in any order, and the states of slices into one. A state may
 * change in place while it records; merging leaves both parts as they were. Seen through `store`,
 * `merge` is associative and commutative with `empty` as its identity, parts merged are the whole
 * recorded, and `restore` undoes `store`: each recorder is held to these laws by one suite.
 */
export interface Recorder<State, Stored> {
  readonly empty: () => State;
  readonly record: (state: State, observation: Observation) => void;
  readonly merge: (a: State, b: State) => State;
  /** The state as a result holds it: in one order, whatever the order of the observations. */
  readonly store: (state: State) => Stored[];
  readonly restore: (stored: readonly Stored[]) => State;
}
