// @long 60 s
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { factsOfRun } from './token-laws.fixture.ts';
import { chargings, tokenStores } from './true-token-limiters.fixture.ts';

const runs = 2000;
const rules = Object.values(chargings);
const [beginning = 1] = fc.sample(fc.nat(1e9), 1);

it.each(Object.entries(tokenStores))(
  'none of 2,000 runs accuses a limiter of tokens that keeps its limit: %s',
  (_, store) => {
    const accused: number[] = [];
    for (let i = 0; i < runs; i += 1) {
      const seed = beginning + 7919 * i;
      const window = i % 4 === 0 ? 10_000 : 60_000;
      const { exceeded, early } = factsOfRun({ store, charging: rules[i % rules.length]! }, seed, {
        window,
      });
      if (exceeded + early > 0) accused.push(seed);
    }
    expect(accused).toStrictEqual([]);
  },
);
