import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectKept, measuringCommandNames } from './kills.fixture.ts';

cleanUpAfterEach();

const rounds = 5;

it(
  `every measuring command, stopped or killed at ${rounds} random moments, ends soon, loses nothing and leaves no process`,
  { timeout: 300_000 },
  async () => {
    // Together, so that the moments vary with the load of the machine.
    const tables = await Promise.all(measuringCommandNames.map((name) => expectKept(name, rounds)));
    const counts = tables.map((table) => Object.values(table).reduce((sum, count) => sum + count));
    expect(counts).toEqual(measuringCommandNames.map(() => rounds));
  },
);
