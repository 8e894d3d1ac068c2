import { describe, expect, it, onTestFinished } from 'vitest';
import { errorLine, startChildProcess } from './child-process.ts';

/** Shells stand in for the program: they start in a few milliseconds. */
const shell = (script: string): readonly [string, ...string[]] => ['sh', '-c', script];

const started = async (script: string, input = 'setup\n', timeout?: number) => {
  const handle = await startChildProcess(shell(script), input, timeout);
  if (!handle.ok) throw new Error(handle.reason);
  onTestFinished(() => handle.stop());
  return handle;
};

const nextLine = (handle: Awaited<ReturnType<typeof started>>): Promise<string> =>
  new Promise((resolve) => handle.onLine(resolve));

describe('a child process', () => {
  it('is ready with its first line, reads its input, and answers line by line', async () => {
    const handle = await started('read a; echo "got $a"; while read b; do echo "then $b"; done');
    expect(handle.line).toBe('got setup');
    expect(handle.pid).toBeGreaterThan(0);
    const answer = nextLine(handle);
    handle.write('more\n');
    expect(await answer).toBe('then more');
    expect(handle.ended()).toBeNull();
    expect(handle.backlog()).toBe(0);
  });

  it('that is stopped reads the end of its input, and did not end unexpectedly', async () => {
    const handle = await started('echo ready; cat >/dev/null; exit 3');
    await handle.stop();
    expect(handle.ended()).toBeNull();
    handle.write('lost\n');
    await handle.stop();
  });

  it.each([
    ['exit 7', 'exit status 7'],
    [
      'echo noise >&2; echo "TypeError: broken" >&2; echo at x >&2; exit 1',
      /^exit status 1: TypeError: broken$/,
    ],
    ['kill -9 $$', 'SIGKILL'],
  ])('that ended by `%s` says how', async (script, ending) => {
    const handle = await started(`echo ready; read go; ${script}`, '');
    handle.write('go\n');
    await expect.poll(handle.ended, { interval: 5 }).not.toBeNull();
    await expect.poll(handle.ended, { interval: 5 }).toMatch(ending);
  });

  it('that ends without a line has its errors as the reason, or none', async () => {
    const failed = (script: string) => startChildProcess(shell(script), '');
    expect(await failed('echo " no port " >&2; exit 1')).toEqual({ ok: false, reason: 'no port' });
    expect(await failed('exit 0')).toEqual({ ok: false, reason: 'no reason given' });
    const long = await failed('head -c 5000 /dev/zero | tr "\\0" x >&2; echo end >&2');
    expect(long).toMatchObject({
      ok: false,
      reason: expect.stringMatching(/^x{1900,2000}\s?end$/),
    });
    expect(await startChildProcess(['/nowhere/program'], '')).toMatchObject({
      ok: false,
      reason: expect.stringContaining('ENOENT'),
    });
  });

  it('that is not ready in time is ended', async () => {
    expect(await startChildProcess(shell('exec sleep 20'), '', 50)).toEqual({
      ok: false,
      reason: 'it was not ready after 0.05 s',
    });
  });

  it('gets no key from the environment', async () => {
    process.env['WEIR_API_KEY'] = 'sk-secret';
    process.env['LC_WEIR'] = 'passed';
    onTestFinished(() => {
      delete process.env['WEIR_API_KEY'];
      delete process.env['LC_WEIR'];
    });
    const { line } = await started('echo "$WEIR_API_KEY|$LC_WEIR|${PATH:+path}"');
    expect(line).toBe('|passed|path');
  });

  it('names the error in an output of many lines', () => {
    expect(errorLine('at a\nError: first\nError: second')).toBe('Error: first');
    expect(errorLine('! error in x')).toBe('! error in x');
    expect(errorLine('an errand\nnothing')).toBeUndefined();
  });
});
