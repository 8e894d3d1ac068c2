// @full 250 s: 200 seeds in place of 25
import { expect, it } from 'vitest';
import { reportedOver, usageOfRunsOver } from './check-seeds.fixture.ts';

const seeds = 200;

it(
  `weir check reports nothing of the reference gateway over ${seeds} seeds`,
  async () => expect(await reportedOver(seeds)).toEqual([]),
  seeds * 10_000,
);

it(
  `weir check --only usage reports nothing of the reference gateway over ${seeds} seeds`,
  async () => expect(await reportedOver(seeds, 'usage')).toEqual([]),
  seeds * 10_000,
);

it(
  `runs report nothing of the usage of the reference gateway over ${seeds} seeds`,
  async () => expect(await usageOfRunsOver(seeds)).toEqual([]),
  seeds * 10_000,
);
