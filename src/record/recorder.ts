import type { Observation } from '../model/observation/observation.ts';

/** A part of a state that is quickly stored, and its stored form. */
export interface Portion<State, Stored> {
  readonly state: State;
  readonly stored: readonly Stored[];
}

/**
 * Folds observations into a state, in any order, and the states of slices into one. A state changes
 * in place while it records and while others are added to it. Seen through `store`, adding is
 * associative and commutative with `empty` as its identity, parts added up are the whole recorded,
 * `restore` undoes `store`, and portions added up are what was split: each recorder is held to these
 * laws by one suite.
 */
export interface Recorder<State, Stored> {
  readonly empty: () => State;
  readonly record: (state: State, observation: Observation) => void;
  /** Adds to a state everything that another one holds, which stays as it was. */
  readonly add: (into: State, from: State) => void;
  /** The state as a result holds it: in one order, whatever the order of the observations. */
  readonly store: (state: State) => Stored[];
  readonly restore: (stored: readonly Stored[]) => State;
  /** Cuts a state that nothing more is recorded into, one portion at a time, each a matter of about a millisecond. */
  readonly split: (state: State) => Iterable<Portion<State, Stored>>;
}
