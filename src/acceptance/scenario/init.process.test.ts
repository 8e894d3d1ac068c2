import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir init', () => {
  it('takes --model, and refuses one that the target does not list', async () => {
    const folder = await tempFolder();
    const out = join(folder, 'a.yaml');
    const { code } = await weir(['init', 'mock', '--model', 'weir/large', '--out', out]);
    expect(code).toBe(0);
    expect(await readFile(out, 'utf8')).toContain('model: weir/large');
    const other = join(folder, 'b.yaml');
    const refused = await weir(['init', 'mock', '--model', 'weir/huge', '--out', other]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('lists no model weir/huge: expected one of weir/small');
    await expect(readFile(other)).rejects.toThrow('ENOENT');
  });
});
