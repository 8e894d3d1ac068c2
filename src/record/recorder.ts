import type { Observation } from '../model/observation/observation.ts';
import { type ChatStreamAnswer, type Outcome, partialOf } from '../model/observation/outcome.ts';

/** A part of a state that can be stored quickly, and the stored form of the part. */
export interface Portion<State, Stored> {
  readonly state: State;
  readonly stored: readonly Stored[];
}

/**
 * Adds observations to a state in any order, and adds the states of slices to one state. A state changes in place while
 * it records and while other states are added to it. One test suite tests the following laws for each recorder. Two
 * states are equal if `store` returns the same for both. Adding is associative and commutative, and adding
 * `restore([])` changes nothing. If the observations are recorded in several states, the sum of these states equals one
 * state with all observations. `restore` is the inverse of `store`. The portions that `split` returns add up to the
 * state. Example: two slices that recorded 3 and 4 requests, added in either order, store the same as one slice that
 * recorded all 7 requests.
 */
export interface Recorder<State, Stored> {
  readonly record: (state: State, observation: Observation) => void;
  /** Adds another state. The other state stays unchanged. */
  readonly add: (into: State, from: State) => void;
  /** Returns the state in its stored form. The order of observations does not change the stored form. */
  readonly store: (state: State) => Stored[];
  readonly restore: (stored: readonly Stored[]) => State;
  /**
   * Splits a state into portions. Storing a portion takes less than a millisecond. After this call, no code may record
   * into the state.
   */
  readonly split: (state: State) => Iterable<Portion<State, Stored>>;
}

/**
 * Compares texts by their code units. This order is the same on every machine; the order of a locale may differ between
 * machines.
 */
export const byText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Returns the streamed answer, complete or in part; `null` for any other answer, and without an answer. */
export const streamOf = (outcome: Outcome): ChatStreamAnswer | null => {
  const answer = outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);
  return answer?.kind === 'chat-stream' ? answer : null;
};

/** Rounds a figure to thousandths, as histograms do. Returns `null` if there is no figure. */
export const roundedFigure = (value: number | null | undefined): number | null =>
  value === null || value === undefined ? null : Math.round(value * 1000) / 1000;

export const getOrCreate = <K, V>(map: Map<K, V>, key: K, create: () => V): V => {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
};

/** Maps the existing values, in the order of `names`. */
export const mapInOrder = <Name extends string, From, To>(
  names: readonly Name[],
  values: Readonly<Partial<Record<Name, From>>>,
  map: (value: From) => To,
): Partial<Record<Name, To>> => {
  const mapped: Partial<Record<Name, To>> = {};
  for (const name of names) {
    const value = values[name];
    if (value !== undefined) mapped[name] = map(value);
  }
  return mapped;
};

type Counts = Record<string, unknown>;

/**
 * Adds every number in `from` to the number under the same key in `into`, also in nested objects. A missing number
 * counts as 0. Other values stay unchanged.
 */
export const addCounts = (into: object, from: object): void => {
  const sums = into as Counts;
  for (const [name, value] of Object.entries(from as Counts)) {
    if (typeof value === 'number') sums[name] = Number(sums[name] ?? 0) + value;
    if (typeof value !== 'object' || value === null) continue;
    addCounts((sums[name] ??= Array.isArray(value) ? [] : {}), value);
  }
};
