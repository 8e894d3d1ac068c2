import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
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
