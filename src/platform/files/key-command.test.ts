import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { runKeyCommand } from './key-command.ts';

const environment = { PATH: process.env['PATH'], TOKEN: 'sk-from-env' };
const run = (command: string): Promise<string> => runKeyCommand(command, environment, tmpdir());

it('a command’s one word is the key, with the variables and in the folder that are given', async () => {
  expect(await run('echo "  $TOKEN  "')).toBe('sk-from-env');
  expect(await run('basename "$PWD"')).toBe(tmpdir().split('/').at(-1));
  expect(await run('cat; echo asked-nobody')).toBe('asked-nobody');
});

it.each([
  ['exit 9', 'ended with 9'],
  ['kill -9 $$', 'was ended by SIGKILL'],
  ['true', 'printed nothing'],
  ['echo "two words"', 'printed more than one word of ASCII text'],
  ['printf "k\\303\\244se"', 'printed more than one word of ASCII text'],
])(
  'a command without a key, `%s`, is a sentence that quotes no output',
  async (command, reason) => {
    await expect(run(`echo sk-part >&2; ${command}`)).rejects.toThrow(
      `the command for a key ${reason}: run it yourself to see why: echo sk-part >&2; ${command}`,
    );
  },
);

it('output without an end is cut off', async () => {
  await expect(run('head -c 200000 /dev/zero | tr "\\0" x')).rejects.toThrow(
    /the command for a key (was ended|ended)/,
  );
});
