// @full 600 s: many more moments
import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectKept, measuringCommandNames } from './kills.fixture.ts';

cleanUpAfterEach();

const rounds = 40;

it(
  `every measuring command, stopped or killed at ${rounds} random moments, ends soon, loses nothing and leaves no process`,
  { timeout: 900_000 },
  async () => {
    // Together, so that the moments vary with the load of the machine.
    const tables = await Promise.all(measuringCommandNames.map((name) => expectKept(name, rounds)));
    // On a busy machine, too, many of the moments come when something has been measured.
    const early = tables.map((table) => table['stopped before the load'] ?? 0);
    expect(Math.max(...early)).toBeLessThan((3 * rounds) / 4);
  },
);
