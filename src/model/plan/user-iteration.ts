import type { Load } from './plan.ts';

/** The user of a request, and the index of the request among the user's own, from 0. */
export interface UserIteration {
  readonly user: number;
  readonly users: number;
  readonly iteration: number;
}

const userCountOf = (load: Load | undefined): number => {
  if (load?.kind === 'saturate') return load.connections;
  return load?.kind === 'closed' ? load.users : 1;
};

/**
 * The user of request `index` of a stage (the inverse of the engine's numbering). Loads without users
 * have a single one.
 */
export const userIterationOf = (load: Load | undefined, index: number): UserIteration => {
  const users = userCountOf(load);
  return { user: index % users, users, iteration: Math.floor(index / users) };
};
