import type { Load } from './plan.ts';

/** Who asks a request, and which of its requests it is, from 0. */
export interface Asking {
  readonly user: number;
  readonly users: number;
  readonly iteration: number;
}

/**
 * Who asks request `index` of a stage (the inverse of the engine's numbering), where each user counts
 * its own; else one user asks all.
 */
export const askingOf = (load: Load | undefined, index: number): Asking => {
  const users = load?.kind === 'closed' ? load.users : 1;
  return { user: index % users, users, iteration: Math.floor(index / users) };
};
