import type { Observation } from '../model/observation/observation.ts';
import type { ChatStreamAnswer, Outcome } from '../model/observation/outcome.ts';

/** A part of a state that is quick to store, and its stored form. */
export interface Portion<State, Stored> {
  readonly state: State;
  readonly stored: readonly Stored[];
}

/**
 * Folds observations into a state, in any order, and the states of slices into one. A state changes
 * in place while it records and while others are added to it. Seen through `store`, adding is
 * associative and commutative with `restore([])` as its identity, the sum of parts is the whole
 * recorded, `restore` undoes `store`, and the sum of portions is what was split: one suite tests
 * these laws for each recorder.
 */
export interface Recorder<State, Stored> {
  readonly record: (state: State, observation: Observation) => void;
  /** Adds another state, which does not change. */
  readonly add: (into: State, from: State) => void;
  /** The state as a result holds it; its order does not depend on that of the observations. */
  readonly store: (state: State) => Stored[];
  readonly restore: (stored: readonly Stored[]) => State;
  /** Splits a state that is no longer recorded into; each portion takes less than a millisecond. */
  readonly split: (state: State) => Iterable<Portion<State, Stored>>;
}

/** The order of texts by their code units: equal on every machine, unlike that of a locale. */
export const byText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};

/** The stream that was received, complete or in part; `null` for none. */
export const streamOf = (outcome: Outcome): ChatStreamAnswer | null => {
  let answer = null;
  if (outcome.kind === 'completed') answer = outcome.answer;
  else if (outcome.kind === 'malformed' || outcome.kind === 'broken') answer = outcome.partial;
  return answer?.kind === 'chat-stream' ? answer : null;
};

export const getOrCreate = <K, V>(map: Map<K, V>, key: K, create: () => V): V => {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
};

/** The values that exist, mapped, in the order of `names`. */
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

/** Counts by name, in records and lists of any depth. */
type Counts = Record<string, unknown>;

/** Adds every number to the one in the same place, which counts as 0 if absent; anything else stays. */
export const addCounts = (into: object, from: object): void => {
  const sums = into as Counts;
  for (const [name, value] of Object.entries(from as Counts)) {
    if (typeof value === 'number') sums[name] = Number(sums[name] ?? 0) + value;
    if (typeof value !== 'object' || value === null) continue;
    addCounts((sums[name] ??= Array.isArray(value) ? [] : {}), value);
  }
};
