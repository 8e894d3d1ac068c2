import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readPlan } from './read-plan.ts';
import { readStoredResult } from './read-result.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-unreadable-'));
afterAll(() => rmSync(home, { recursive: true }));
writeFileSync(join(home, 'evening.yaml'), 'name: evening\n');
writeFileSync(join(home, 'evening.txt'), '');
mkdirSync(join(home, 'folder'));
const file = (name: string): string => join(home, name);

const readFrom = (scenario: string) =>
  readPlan({ scenario, flags: {}, set: [], target: undefined }, {});

it.each([
  [
    'https://host/v1',
    'https://host/v1 is an address, and a scenario file was expected: write --target https://host/v1',
  ],
  [
    'HTTP://host/v1',
    'HTTP://host/v1 is an address, and a scenario file was expected: write --target HTTP://host/v1',
  ],
  [file('folder'), `${file('folder')} is a folder: give the path of a scenario file`],
  [
    file('evenin.yaml'),
    `the scenario file ${file('evenin.yaml')} does not exist: did you mean ${file('evening.yaml')}? If not, give the path of a YAML, JSON, TypeScript or JavaScript file`,
  ],
  [
    file('morning.yaml'),
    `the scenario file ${file('morning.yaml')} does not exist: give the path of a YAML, JSON, TypeScript or JavaScript file`,
  ],
  [
    file('none/morning.yaml'),
    `the scenario file ${file('none/morning.yaml')} does not exist: give the path of a YAML, JSON, TypeScript or JavaScript file`,
  ],
])(
  'a scenario that is not a file is refused with a specific message: %s',
  async (path, message) => {
    await expect(readFrom(path)).rejects.toMatchObject({ message });
  },
);

it('a checkpoint that cannot be read is called by its name', async () => {
  await expect(readStoredResult(file('c.jsonl'))).rejects.toThrow(
    `the checkpoint ${file('c.jsonl')} cannot be read: `,
  );
  writeFileSync(file('d.jsonl'), 'none\n');
  await expect(readStoredResult(file('d.jsonl'))).rejects.toThrow(`${file('d.jsonl')} `);
});
