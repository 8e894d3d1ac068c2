import { expect, it } from 'vitest';
import { separateTargets } from './fairness.ts';

it('populations of two targets share only what lies behind these', () => {
  const said = (own?: string, other?: string) =>
    separateTargets(
      {
        populations: [
          { name: 'a', target: other },
          { name: 'b', target: own },
        ],
      } as never,
      { quiet: 'b', noisy: 'a' },
    );
  expect(said('north', 'south')).toBe(
    'b sends to north and a to south: what is found is what these two share behind them.',
  );
  expect(said('north', 'north')).toBeNull();
  expect(said()).toBeNull();
  expect(separateTargets({} as never, { quiet: 'b', noisy: 'a' })).toBeNull();
});
