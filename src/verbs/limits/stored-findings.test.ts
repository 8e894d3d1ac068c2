import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { reportFindings } from './stored-findings.ts';

/** Reports on a folder with this text as the findings of a limit. */
const report = (text: string, name = 'limits.json'): Promise<unknown> => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-findings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  return reportFindings(folder, undefined, {} as never);
};

it.each(['no JSON', '5', 'null', '{}', '{"format":"limits/2"}', '{"format":"token-limits/1"}'])(
  'a file that is not one of findings is named: %s',
  async (text) => {
    await expect(report(text)).rejects.toThrow(
      'limits.json has no findings of `weir limits`: expected "format": "limits/1"',
    );
  },
);

it.each([
  ['limits.json', '{"format":"limits/1"}'],
  ['token-limits.json', '{"format":"token-limits/1"}'],
])('findings in %s that lack a field are of another version', async (name, text) => {
  await expect(report(text, name)).rejects.toThrow(
    `(${name}) were written by another version of Weir or changed since`,
  );
});
