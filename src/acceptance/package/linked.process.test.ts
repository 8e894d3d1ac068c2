import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

it('npm link puts a command on the path that works in every folder', async () => {
  const prefix = await mkdtemp(join(tmpdir(), 'weir-test-'));
  const elsewhere = join(prefix, 'elsewhere');
  try {
    await mkdir(elsewhere);
    await mkdir(join(prefix, 'lib'));
    await writeFile(
      join(elsewhere, 'mine.yaml'),
      'traffic: [{ kind: models }]\nload: { kind: constant, rate: 1/s, duration: 1s }\n',
    );
    const link = spawnSync('npm', ['link', '--no-audit', '--no-fund'], {
      cwd: resolve('.'),
      encoding: 'utf8',
      env: { ...process.env, npm_config_prefix: prefix, npm_config_global_prefix: prefix },
    });
    expect(link.stderr + link.stdout).not.toContain('ERR');
    const { stdout, stderr, status } = spawnSync(
      join(prefix, 'bin', 'weir'),
      ['validate', 'mine.yaml'],
      {
        cwd: elsewhere,
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('is valid');
    expect(await readdir(elsewhere)).toEqual(['mine.yaml']);
  } finally {
    await rm(prefix, { recursive: true });
  }
});
