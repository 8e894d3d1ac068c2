import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSystemBrowser } from './open-in-browser.ts';

const tempFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-opener-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
};

const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
// A shell would run what is in it.
const address = 'file:///tmp/a$(touch%20x);`id`/report.html?a&b';

describe('opening a browser', () => {
  it('passes the address on as it is, and no secrets', async () => {
    const folder = await tempFolder();
    const program = join(folder, opener);
    await writeFile(
      program,
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" "$WEIR_API_KEY" > ${folder}/got\n`,
    );
    await chmod(program, 0o755);
    vi.stubEnv('PATH', [folder, process.env['PATH']].join(delimiter));
    vi.stubEnv('WEIR_API_KEY', 'sk-secret');
    expect(await openSystemBrowser(address)).toBeNull();
    expect(await readFile(join(folder, 'got'), 'utf8')).toBe(`1\n${address}\n\n`);
    await writeFile(program, '#!/bin/sh\nexit 3\n');
    expect(await openSystemBrowser(address)).toBe(
      `No browser was opened: ${opener} ended with exit code 3. Open ${address} yourself.`,
    );
    vi.unstubAllEnvs();
  });

  it('says so where no program can do it', async () => {
    vi.stubEnv('PATH', await tempFolder());
    expect(await openSystemBrowser(address)).toBe(
      `No browser was opened: ${opener} is not installed. Open ${address} yourself.`,
    );
    vi.unstubAllEnvs();
  });
});
