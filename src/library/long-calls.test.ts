// @gate 1 s
import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { defineScenario, run } from './library.ts';

it('a forced run of a plan beyond its budget ends by it, and writes nothing if there is no folder', async () => {
  const scenario = defineScenario({
    target: 'mock',
    traffic: [{ kind: 'models' }],
    load: { kind: 'constant', rate: '50/s', duration: '100ms' },
    canary: false,
  });
  const before = readdirSync('.');
  const { result } = await run(scenario, {
    environment: { WEIR_HISTORY: 'off' },
    set: ['budget.requests=3'],
    force: true,
  });
  expect(result.partial).toMatch(/budget\.requests/);
  expect(readdirSync('.')).toEqual(before);
});
