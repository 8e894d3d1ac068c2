import type { Load } from './plan.ts';

/**
 * Which of `users` users sends a request, and which request of this user it is. `user` and `iteration` count from 0.
 */
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
