import { expect, it } from 'vitest';
import { checkQuietly } from './check-quietly.fixture.ts';
import { openDefectiveGateway } from './defective-gateway.fixture.ts';

const seeds = 200;

it(
  `weir check reports nothing of the reference gateway over ${seeds} seeds`,
  async () => {
    const found: unknown[] = [];
    for (let seed = 1; seed <= seeds; seed += 1) {
      const gateway = await openDefectiveGateway({ seed });
      const { rows } = await checkQuietly(gateway.url);
      await gateway.close();
      const usual = ['pass', 'open', 'unchecked'];
      found.push(
        ...rows
          .filter(({ outcome }) => !usual.includes(outcome))
          .map(({ id, observed }) => ({ seed, id, observed })),
      );
    }
    expect(found).toEqual([]);
  },
  seeds * 10_000,
);
