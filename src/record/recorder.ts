import type { Observation } from '../model/observation/observation.ts';
import { type ChatStreamAnswer, type Outcome, partialOf } from '../model/observation/outcome.ts';

/** A part of a state that can be stored quickly, and its stored form. */
export interface Portion<State, Stored> {
  readonly state: State;
  readonly stored: readonly Stored[];
}

/**
 * Adds observations to a state in any order, and adds the states of slices to one state. A state changes in place while
 * it records and while other states are added to it. Recorders obey the following laws, and one suite tests the laws
 * for each recorder. States are compared by what `store` returns. Adding is associative and commutative, with
 * `restore([])` as its identity; the sum of the recorded parts is the recorded whole; `restore` undoes `store`; and the
 * portions that `split` returns add up to the state. Example: two slices that recorded 3 and 4 requests, added in
 * either order, store the same as one slice that recorded all 7.
 */
export interface Recorder<State, Stored> {
  readonly record: (state: State, observation: Observation) => void;
  /** Adds another state, which stays unchanged. */
  readonly add: (into: State, from: State) => void;
  /** Returns the state in its stored form. The order of observations does not change the stored form. */
  readonly store: (state: State) => Stored[];
  readonly restore: (stored: readonly Stored[]) => State;
  /**
   * Splits a state into portions of less than a millisecond each. After this call, no code may record into the state.
   */
  readonly split: (state: State) => Iterable<Portion<State, Stored>>;
}

/** Compares texts by their code units. Unlike the order of a locale, this order is the same on every machine. */
export const byText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** Returns the received stream, complete or in part; `null` for none. */
export const streamOf = (outcome: Outcome): ChatStreamAnswer | null => {
  const answer = outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);
  return answer?.kind === 'chat-stream' ? answer : null;
};

/** Rounds a figure to thousandths, as histograms do; returns `null` for `null`. */
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

/** Maps the values that exist, in the order of `names`. */
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
 * Adds every number in `from` to the number in the same place in `into`. A missing number counts as 0. Other values
 * stay unchanged.
 */
export const addCounts = (into: object, from: object): void => {
  const sums = into as Counts;
  for (const [name, value] of Object.entries(from as Counts)) {
    if (typeof value === 'number') sums[name] = Number(sums[name] ?? 0) + value;
    if (typeof value !== 'object' || value === null) continue;
    addCounts((sums[name] ??= Array.isArray(value) ? [] : {}), value);
  }
};
