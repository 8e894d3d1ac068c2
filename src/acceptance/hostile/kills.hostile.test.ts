import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import { expectKept, measuringCommandNames } from './kills.fixture.ts';

cleanUpAfterEach();

const rounds = 40;

describe.each(measuringCommandNames)('weir: %s', { concurrent: true }, (name) => {
  it(
    `stopped or killed at ${rounds} random moments, it ends soon, loses nothing and leaves no process`,
    { timeout: 900_000 },
    async () => {
      expect(await expectKept(name, rounds)).toBe(rounds);
    },
  );
});
