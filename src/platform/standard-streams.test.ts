import { PassThrough } from 'node:stream';
import { afterEach, expect, it, vi } from 'vitest';
import { readStandardInput, stdoutStyle, toStderr, toStdout } from './standard-streams.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it('a text is written as lines, and what would control a terminal is shown', () => {
  const written: string[] = [];
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      written.push(`${stream} ${String(text)}`);
      return true;
    });
  toStdout('a');
  toStdout('b\n');
  toStderr('c\u0007');
  expect(written).toEqual(['stdout a\n', 'stdout b\n', 'stderr c\\u0007\n']);
});

/** Gives a property of this process another value while a test runs. */
const having = <T extends object>(object: T, values: Partial<T>): void => {
  for (const [name, value] of Object.entries(values)) {
    const before = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { value, configurable: true, writable: true });
    restore.push(() => {
      if (before === undefined) Reflect.deleteProperty(object, name);
      else Object.defineProperty(object, name, before);
    });
  }
};
const restore: (() => void)[] = [];
afterEach(() => {
  for (const each of restore.splice(0)) each();
});

it.each([
  [{ isTTY: true, columns: 80 }, 80],
  [{ isTTY: true, columns: 200 }, 120],
  [{ isTTY: false, columns: 80 }, 100],
])('a text for %j is %d columns wide', (stream, width) => {
  having(process.stdout, stream);
  expect(stdoutStyle().width).toBe(width);
});

it('standard input is read to its end, if it is no longer than that', async () => {
  const given = (...parts: readonly string[]): void => {
    const stdin = new PassThrough();
    for (const part of parts) stdin.write(part);
    stdin.end();
    having(process, { stdin: stdin as never });
  };
  given('añ', 'b');
  expect(await readStandardInput(4)).toBe('añb');
  given('añ', 'b');
  expect(await readStandardInput(3)).toBeNull();
  given();
  expect(await readStandardInput(0)).toBe('');
});
