import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, startProgram, tempFile } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const script = await weir(['completion', 'bash']);

/** What bash offers after these words, the last of which is being written. */
const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
  const file = await tempFile('weir.bash', script.stdout);
  const asked = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _weir; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { code, stdout, stderr } = await startProgram(
    ['bash', '-c', asked, file, 'weir', ...words],
    process.env,
  ).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').filter((line) => line !== '');
};

describe('bash with the script of weir completion', () => {
  it.each([
    [['ru'], ['run']],
    [['c'], ['compare', 'check', 'cache', 'capacity', 'calibrate', 'coordinate', 'completion']],
    [['run', '--obs'], ['--observations']],
    [
      ['run', 'a.yaml', '--capture', ''],
      ['failed', 'all'],
    ],
    [['run', 'a.yaml', '--capture', '=', 'f'], ['failed']],
    [['history', 'b'], ['baseline']],
    [
      ['schema', ''],
      [
        'scenario',
        'result',
        'check',
        'sweep',
        'capacity',
        'cache',
        'fairness',
        'recovery',
        'pairs',
      ],
    ],
    [['completion', 'z'], ['zsh']],
    // Files, by bash itself.
    [['run', 'scen'], []],
  ])('offers after weir %j: %j', async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it('has every option of a verb’s help, and no hidden one', async () => {
    const [options, { stdout }] = await Promise.all([
      offered('run', '--'),
      weir(['run', '--help']),
    ]);
    const inHelp = Array.from(stdout.matchAll(/^ +(?:-h, )?(--[a-z-]+)/gm), ([, name]) => name);
    expect(new Set(inHelp.filter((name) => name !== '--version'))).toEqual(new Set(options));
    expect(await offered('schema', '--')).toEqual(['--help']);
  });
});

it('completion of another shell is refused with those there are', async () => {
  const { code, stderr } = await weir(['completion', 'tcsh']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/expected.*bash.*zsh/);
});
