// @gate 1 s
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { importText } from './import-source.ts';
import { ImportError, noteLine } from './imported.ts';
import type { VegetaAttack } from './vegeta.ts';

const noAttack: VegetaAttack = {
  rate: undefined,
  duration: undefined,
  bodies: new Map(),
  canWriteFiles: false,
};
const imported = (options: object) => importText('k6', JSON.stringify(options), noAttack);

const value = fc.constantFrom<unknown>(
  0,
  1,
  7,
  1e9,
  -1,
  0.5,
  null,
  '',
  '5s',
  '1h0m0.5s',
  '0s',
  'x',
  [],
  {},
);
const isEmpty = (fields: object): boolean => Object.keys(fields).length === 0;
const stage = fc.record({ target: value, duration: value });
const words = (text: string) => fc.constantFrom(...text.split(' '));
const executor = words(
  'constant-vus ramping-vus constant-arrival-rate ramping-arrival-rate shared-iterations per-vu-iterations none',
);
const field = words(
  'vus startVUs rate startRate timeUnit duration iterations maxDuration startTime exec',
);

it('makes of any options a valid scenario, or refuses them with a reason', () => {
  const usual = { vus: 2, rate: 3, duration: '5s', iterations: 9 };
  let valid = 0;
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.constantFrom('a', 'b', 'c'),
        fc.tuple(executor, fc.array(stage), fc.dictionary(field, value, { maxKeys: 2 })),
        { minKeys: 1 },
      ),
      (given) => {
        const scenarios = Object.fromEntries(
          Object.entries(given).map(([name, [kind, stages, more]]) => [
            name,
            { ...usual, executor: kind, stages, ...more },
          ]),
        );
        try {
          const { notes, ...made } = imported({ scenarios });
          const text = JSON.stringify(made) + notes.map(noteLine).join('\n');
          const unnamed = Object.keys(scenarios).filter(
            (name) => !new RegExp(`"name":"${name}"|scenario ${name}:`).test(text),
          );
          // A lone load has no name.
          expect(unnamed.length).toBeLessThanOrEqual(text.includes('"populations"') ? 0 : 1);
          valid += 1;
        } catch (error) {
          if (!(error instanceof ImportError)) throw error;
          // A wrong value in one scenario refuses all; without any, nothing is refused.
          const isUsual = Object.values(given).every(
            ([kind, , more]) => /^(?:constant|shared|per)-/.test(kind) && isEmpty(more),
          );
          expect(isUsual, error.message).toBe(false);
        }
      },
    ),
    { numRuns: 100 },
  );
  expect(valid).toBeGreaterThan(10);
});
