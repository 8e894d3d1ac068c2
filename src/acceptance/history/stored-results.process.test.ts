import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const one = ['run', '--target', 'mock', '--kind', 'models', '--iterations', '1'];

describe('a stored result', () => {
  it('is overwritten with a warning, reported again without one, and found by its folder', async () => {
    const out = join(await tempFolder(), 'run');
    const stderrOf = async (words: readonly string[]): Promise<string> =>
      (await weir(words)).stderr;
    expect(await stderrOf([...one, '--out', out])).not.toContain('overwrites');
    const again = `${out} contains an earlier result.json and report.html, which this run overwrites.`;
    expect(await stderrOf([...one, '--out', out])).toContain(again);
    expect(await stderrOf([...one, '--out', out, '--quiet'])).toBe('');
    const result = join(out, 'result.json');
    expect(await stderrOf(['report', result])).not.toContain('overwrites');
    expect(await stderrOf(['report', result, '--out', out])).toContain(again);
    expect(await stderrOf(['report', out])).toContain(`Result: ${result}`);
  });

  it('of another program is never replaced: the run ends before it sends anything', async () => {
    const out = await tempFolder();
    const foreign = join(out, 'result.json');
    await writeFile(foreign, '{"metrics":{"http_reqs":1}}');
    const { code, stderr } = await weir([...one, '--out', out]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`${foreign} would be replaced, and is not a file of Weir’s`),
    });
    expect(await readFile(foreign, 'utf8')).toBe('{"metrics":{"http_reqs":1}}');
  });
});
