import { expect, it } from 'vitest';
import { program } from './program.ts';

const said = (line: string): Promise<string> =>
  program(line.split(' ')).then(
    () => 'nothing',
    (error: unknown) => (error as Error).message,
  );

it.each([
  ['run a b', 'unexpected word "b": weir run takes one scenario file, and options'],
  ['run a --bogus', 'unknown option --bogus: expected one that `weir run --help` lists'],
  [
    'run a --duratio 3s',
    'unknown option --duratio: did you mean --duration? If not, expected one that `weir run --help` lists',
  ],
  ['run a --maxTokns=3', /^unknown option --maxTokns: did you mean --max-tokens\?/],
  ['run a --vus 3', /^unknown option --vus: did you mean --users\?/],
  ['validate a --x=1 b', /^unknown option -x: .*\nunexpected word "b": weir validate/],
  ['report', 'weir report: expected the result.json of a run, got nothing'],
  ['merge', 'weir merge: expected the result.json of each slice, got nothing'],
  ['merge a', '--out is missing: say where it goes with --out …'],
  ['run a --set', '--set: expected a value, got nothing'],
  ['run a --out', '--out: expected a value, got nothing'],
  ['mock --second-key', /^unknown option --second-key/],
  ['schema other', 'subject: expected "scenario" or "result", got "other"'],
  ['mock --port x', '--port: expected a whole number from 0 to 65535, got "x"'],
  [
    'mock --control-port 65536',
    '--control-port: expected a whole number from 0 to 65535, got "65536"',
  ],
  ['mock --seed 1.5', '--seed: expected a whole number from 0 to 9007199254740991, got "1.5"'],
  ['mock --lifetime soon', /^--lifetime: expected a length of time such as .*; got soon$/],
])('of `weir %s` it is said what was expected and what came', async (line, expected) => {
  const message = await said(line);
  if (typeof expected === 'string') expect(message).toBe(expected);
  else expect(message).toMatch(expected);
});
