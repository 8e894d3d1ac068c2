import type { Load } from './plan.ts';

/** A user, and the index of a request among the requests of this user, from 0. */
export interface UserIteration {
  readonly user: number;
  readonly users: number;
  readonly iteration: number;
}

const userCountOf = (load: Load | undefined): number => {
  if (load?.kind === 'saturate') return load.connections;
  return load?.kind === 'closed' ? load.users : 1;
};

export const userIterationOf = (load: Load | undefined, index: number): UserIteration => {
  const users = userCountOf(load);
  return { user: index % users, users, iteration: Math.floor(index / users) };
};
