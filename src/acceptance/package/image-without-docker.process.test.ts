import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

it('the image is not begun without a daemon, which a sentence says', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['.package/image.ts'], {
    cwd: root,
    env: { ...process.env, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^The image is built by Docker, (whose daemon|which cannot)[^\n]*\n$/);
  expect([status, stdout]).toEqual([1, '']);
});
