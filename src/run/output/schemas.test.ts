import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { sampleCapacity } from '../../report/capacity/sample-capacity.fixture.ts';
import { sampleSweep } from '../../report/sweep/sample-sweep.fixture.ts';
import { schemas, schemaText } from './schemas.ts';

it.each(Object.keys(schemas) as (keyof typeof schemas)[])(
  'the published schema of a %s matches the code; if not, run `npm run schema`',
  async (subject) => {
    const published = await readFile(
      new URL(`../../../${schemas[subject].path}`, import.meta.url),
      'utf8',
    );
    expect(published).toBe(schemaText(subject));
  },
);

it.each([
  ['sweep', sampleSweep()],
  ['capacity', sampleCapacity()],
] as const)('the schema of a %s accepts one, and none with a field more', (subject, sample) => {
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  const accepts = ajv.compile(JSON.parse(schemaText(subject)) as object);
  expect(accepts(sample), JSON.stringify(accepts.errors)).toBe(true);
  expect(accepts({ ...sample, more: 1 })).toBe(false);
});
