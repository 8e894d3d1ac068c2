import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { exitCodes } from '../cli/exit-codes.ts';
import { measures } from '../model/measures.ts';
import { readScenario } from '../scenario/read.ts';

const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');

describe('the README tells the truth', () => {
  it('about every measure', () => {
    const rows = Object.entries(measures).map(
      ([name, { label, unit, definition }]) =>
        `| \`${name}\` | ${label} | ${unit} | ${definition} |`,
    );
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('about every exit code', () => {
    const rows = exitCodes.map(({ code, meaning }) => `| ${code} | ${meaning} |`);
    expect(rows.filter((row) => !readme.includes(row))).toEqual([]);
  });

  it('with a scenario that is valid', () => {
    const [, text = ''] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
    const reading = readScenario({
      text,
      name: 'evening.yaml',
      environment: { BLUE_KEY: 'k' },
    });
    expect(reading).toMatchObject({ ok: true, plan: { name: 'evening' } });
  });
});
