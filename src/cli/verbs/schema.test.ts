import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it } from 'vitest';
import { sampleCapacity } from '../../verbs/capacity/report/sample-capacity.fixture.ts';
import { sampleSweep } from '../../verbs/sweep/report/sample-sweep.fixture.ts';
import { samplePairs } from '../../verbs/compare/report/sample-pairs.fixture.ts';
import { loadVerb } from '../verb-table.ts';
import { publishedSchema, schemaSubjects, schemaText } from './schema.ts';

it.each(schemaSubjects)(
  'the published schema of a %s matches the code; if not, run `npm run schema`',
  async (subject) => {
    const schema = await publishedSchema(subject, loadVerb);
    const published = await readFile(new URL(`../../../${schema.path}`, import.meta.url), 'utf8');
    expect(published).toBe(await schemaText(schema));
  },
);

it.each([
  ['sweep', sampleSweep()],
  ['capacity', sampleCapacity()],
  ['pairs', samplePairs(20)],
] as const)(
  'the schema of a %s accepts one, and none with a field more',
  async (subject, sample) => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const accepts = ajv.compile(
      JSON.parse(await schemaText(await publishedSchema(subject, loadVerb))) as object,
    );
    expect(accepts(sample), JSON.stringify(accepts.errors)).toBe(true);
    expect(accepts({ ...sample, more: 1 })).toBe(false);
  },
);
