import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, it, vi } from 'vitest';
import { sampleCapacity } from '../../verbs/capacity/report/sample-capacity.fixture.ts';
import { sampleSweep } from '../../verbs/sweep/report/sample-sweep.fixture.ts';
import { samplePairs } from '../../verbs/compare/report/sample-pairs.fixture.ts';
import { loadVerb } from '../verb-table.ts';
import { publishedSchema, schemaSubjects, schemaText, schemaVerb } from './schema.ts';

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

it('a schema is printed as JSON, with a line for each field', async () => {
  const schema = {
    path: 'x.json',
    make: () => Promise.resolve({ a: 1, properties: { b: [2], c: {} } }),
  };
  const loaded: string[] = [];
  const load = (name: string) => {
    loaded.push(name);
    return Promise.resolve({ options: {}, schema, run: () => Promise.resolve('pass' as const) });
  };
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    const verb = schemaVerb(load);
    expect(await verb.run({ subject: 'pairs', write: false })).toBe('pass');
    expect(await schemaVerb(load).run({ subject: 'check', write: false })).toBe('pass');
  } finally {
    write.mockRestore();
  }
  expect(loaded).toEqual(['compare', 'check']);
  expect(written[0]).toBe('{\n"a":1,\n"properties":{\n"b":[2],\n"c":{}\n}\n}\n');
  const none = () => Promise.resolve({ options: {}, run: () => Promise.resolve('pass' as const) });
  await expect(publishedSchema('pairs', none)).rejects.toThrow(
    'the verb compare publishes no schema',
  );
});

it('each subject has a separate file', async () => {
  const paths = await Promise.all(
    schemaSubjects.map(async (subject) => (await publishedSchema(subject, loadVerb)).path),
  );
  expect(new Set(paths).size).toBe(schemaSubjects.length);
  expect(paths.slice(0, 2)).toEqual(['scenarios/schema.json', 'reports/result.schema.json']);
});
