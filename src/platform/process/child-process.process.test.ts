import { describe, expect, it, vi } from 'vitest';
import { startChildProcess } from './child-process.ts';
import { startMockProcess } from './mock-process.ts';

/** A process that says a line and ends when its input does, unless something else happens. */
const saying = (line: string, more = ''): readonly [string, ...string[]] => [
  process.execPath,
  '-e',
  `console.log(${line}); process.stdin.resume(); ${more}`,
];

const started = async (more: string) => {
  const child = await startChildProcess(saying('"ready"', more), '');
  if (!child.ok) throw new Error(child.reason);
  return child;
};

describe('a child process', () => {
  it('reports no unexpected end while it runs, nor after it was asked to stop', async () => {
    const { ended, stop } = await started('');
    expect(ended()).toBeNull();
    await stop();
    expect(ended()).toBeNull();
  });

  it.each([
    ['setImmediate(() => { throw new Error("no room") })', /^exit status 1: Error: no room$/],
    ['setImmediate(() => process.exit(3))', /^exit status 3$/],
    ['setImmediate(() => process.kill(process.pid, "SIGKILL"))', /^SIGKILL$/],
  ])('reports how it ended by itself: %s', async (more, how) => {
    const { ended, stop } = await started(more);
    await vi.waitFor(() => expect(ended()).toMatch(how));
    await stop();
  });

  it('is stopped if it should be a gateway but prints something other than its addresses', async () => {
    const message = await startMockProcess(saying('process.pid'), {}).then(() => '', String);
    const [, pid] = /expected its addresses, got "(\d+)"/.exec(message) ?? [];
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});
