import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { canSeparateCores, coresIn } from './separate-cores.ts';

it('a list of cores has single ones and ranges', () => {
  expect(coresIn('3')).toEqual([3]);
  expect(coresIn('0-2,8')).toEqual([0, 1, 2, 8]);
  expect(coresIn('4-4,6-7')).toEqual([4, 6, 7]);
});

it('cores can be separated if there are two and a program that binds to them', async () => {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1];
  const hasTwo = list !== undefined && coresIn(list).length >= 2;
  const canBind = spawnSync('taskset', ['-p', String(process.pid)]).status === 0;
  expect(await canSeparateCores()).toBe(hasTwo && canBind);
});
