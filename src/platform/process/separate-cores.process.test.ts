import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startChildProcess } from './child-process.ts';
import { coresIn, separateCores } from './separate-cores.ts';

const coresOf = async (pid: number | 'self'): Promise<readonly number[]> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return coresIn(/^Cpus_allowed_list:\s*(\S+)$/m.exec(status)![1]!);
};

it('reads the kernel’s lists of cores', () => {
  expect(coresIn('0')).toEqual([0]);
  expect(coresIn('0-2,8')).toEqual([0, 1, 2, 8]);
});

it('keeps this process and another one on different cores, and undoes that', async (context) => {
  const before = await coresOf('self').catch(() => []);
  if (before.length < 2) return context.skip('needs Linux and two cores');
  const child = await startChildProcess(
    [process.execPath, '-e', 'console.log("ready"); process.stdin.resume();'],
    '',
  );
  if (!child.ok) throw new Error(child.reason);
  try {
    const reunite = await separateCores(1, [child.pid, null]);
    const [own, beside] = [await coresOf(process.pid), await coresOf(child.pid!)];
    await reunite();
    if (own.length === before.length) return context.skip('needs taskset');
    expect(beside).toHaveLength(1);
    expect([...beside, ...own].toSorted((a, b) => a - b)).toEqual(before);
    expect(await coresOf(process.pid)).toEqual(before);
  } finally {
    await child.stop();
  }
});

it('changes nothing if there are too few cores for all event loops, or no other process', async (context) => {
  const before = await coresOf('self').catch(() => []);
  if (before.length === 0) return context.skip('needs Linux');
  await separateCores(before.length, [process.pid]);
  await separateCores(1, [null]);
  expect(await coresOf(process.pid)).toEqual(before);
});
