import type { Load } from './plan.ts';

/** Who asks a request, and which of its requests it is, from 0. */
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
 * Who asks request `index` of a stage (the inverse of the engine's numbering), where each user counts
 * its own; else one user asks all.
 */
export const userIterationOf = (load: Load | undefined, index: number): UserIteration => {
  const users = userCountOf(load);
  return { user: index % users, users, iteration: Math.floor(index / users) };
};
