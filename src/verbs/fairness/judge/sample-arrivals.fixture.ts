import type { SeenArrival } from '../model/seen-arrival.ts';

/** Three pairs of blocks of 10 s. The first 2 s of a block do not count, and every other block has the noise. */
export const blocks = Array.from({ length: 6 }, (_, place) => ({
  pair: Math.floor(place / 2),
  isNoisy: place % 2 === 1,
  begins: 10_000 * place,
  from: 10_000 * place + 2000,
  to: 10_000 * place + 10_000,
}));

/** Whether an instant is in a block with noise. */
export const isLoud = (due: number): boolean => Math.floor(due / 10_000) % 2 === 1;

/** A completed request of population b that takes 50 ms. `changes` overrides its fields. */
export const arrival = (due: number, changes: Partial<SeenArrival> = {}): SeenArrival => ({
  population: 'b',
  key: 'b',
  due,
  ended: due + 50,
  isTimed: true,
  least: 50,
  most: 50,
  isCompleted: true,
  limited: 0,
  tokens: 3,
  sent: 1,
  cost: null,
  ...changes,
});
