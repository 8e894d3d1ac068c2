// @gate 1 s
import { describe, expect, it } from 'vitest';
import { factsOfRun, steadyTokens } from './token-laws.fixture.ts';
import { chargings, tokenStores, type TokenGateway } from './true-token-limiters.fixture.ts';

const seeds = Array.from({ length: 8 }, (_, i) => i + 1);
const names = Object.keys(tokenStores) as (keyof typeof tokenStores)[];

describe('a limiter of tokens that keeps its limit', () => {
  it.each(names)('is never accused, whenever it charges: %s', (name) => {
    for (const charging of Object.values(chargings)) {
      for (const seed of seeds) {
        const { exceeded, early } = factsOfRun({ store: tokenStores[name], charging }, seed);
        expect({ seed, exceeded, early }).toStrictEqual({ seed, exceeded: 0, early: 0 });
      }
    }
  });

  it.each(names.filter((name) => name !== 'bucket of a quarter'))(
    'refuses only what a limit that may be used up explains: %s',
    (name) => {
      const { 'refusals are charged too': _, ...usual } = chargings;
      for (const charging of Object.values(usual)) {
        for (const seed of seeds) {
          const { unexplained } = factsOfRun({ store: tokenStores[name], charging }, seed);
          expect({ seed, unexplained }).toStrictEqual({ seed, unexplained: 0 });
        }
      }
    },
  );
});

const atEnd = chargings['charged at the end'];
const grid: TokenGateway = { store: tokenStores['fixed window on a grid'], charging: atEnd };
const fromFirst = { ...grid, store: tokenStores['fixed window from the first request'] };

const overload = steadyTokens(2.5, 4, 1 / 45);
const below = steadyTokens(6, 0.8, 1 / 200);

/** Each fault with the facts that show it, and the load that does. */
const faults: Readonly<
  Record<string, readonly [TokenGateway, 'exceeded' | 'early' | 'unexplained', typeof below]>
> = {
  'nothing is enforced': [{ ...grid, times: 1e6 }, 'exceeded', overload],
  'twice the limit': [{ ...grid, times: 2 }, 'exceeded', overload],
  'three replicas': [{ ...grid, replicas: 3 }, 'exceeded', overload],
  'streams are free': [
    {
      ...grid,
      charging: { ...atEnd, atEnd: (chat) => (chat.isStream ? 0 : atEnd.atEnd(chat)) },
    },
    'exceeded',
    overload,
  ],
  'only answers are charged': [
    { ...grid, charging: { ...atEnd, atEnd: ({ answer }) => answer } },
    'exceeded',
    overload,
  ],
  '30 % early': [{ ...grid, times: 0.7 }, 'early', below],
  '30 % early under overload': [
    { ...grid, store: tokenStores['sliding log'], times: 0.7 },
    'unexplained',
    overload,
  ],
  'prompts counted twice': [
    { ...grid, charging: { ...atEnd, atEnd: ({ prompt, answer }) => 2 * prompt + answer } },
    'early',
    below,
  ],
  'a window twice as long': [{ ...fromFirst, stretch: 2 }, 'early', below],
  '5 % refused at random': [{ ...grid, refusedShare: 0.05 }, 'early', below],
};

it.each(Object.entries(faults))('a fault shows: %s', (_, [gateway, fact, load]) => {
  for (const seed of seeds) {
    expect(factsOfRun(gateway, seed, { load })[fact], `seed ${seed}`).toBeGreaterThan(0);
  }
});
