import { describe, expect, it, vi } from 'vitest';
import { program } from './program.ts';
import { helpAsOption, orList, verbs, verbTable } from './verb-table.ts';

describe('the examples in the help of a verb', () => {
  it.each([...verbTable])(
    '%s are command lines of it, with options that it has',
    async (name, entry) => {
      const { options, subcommands = {} } = await entry.load();
      const known = [options, ...Object.values(subcommands).map(({ verb }) => verb.options)];
      const names = new Set(known.flatMap((table) => Object.keys(table)));
      for (const [words, does] of entry.examples) {
        // Behind -- stands the command line of another program.
        const [verb, ...own] = words.replace(/ -- .*/, '').split(' ');
        expect(verb).toBe(name);
        expect(does).not.toBe('');
        const wanted = own.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
        expect(wanted.filter((word) => !names.has(word))).toEqual([]);
      }
    },
  );
});

it('help puts an example on its own line, where a terminal of 80 columns shows it whole', async () => {
  const { columns } = process.stderr;
  process.stderr.columns = 80;
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    await program(['worker', '--help']);
    expect(log.mock.calls.join('')).toMatch(
      /# under .*\n {2}weir worker --rendezvous nats:\/\/host:4222 --slice auto$/m,
    );
  } finally {
    log.mockRestore();
    process.stderr.columns = columns;
  }
});

it.each([
  [300, 100],
  [undefined, 100],
  [60, 60],
])('the help in a terminal of %s columns is at most %i wide', async (width, most) => {
  const { columns } = process.stderr;
  process.stderr.columns = width as number;
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    await program(['run', '--help']);
    const lines = log.mock.calls.join('').split('\n');
    // A command line of an example is not broken.
    const widths = lines.filter((line) => !line.includes('weir ')).map((line) => line.length);
    expect(Math.max(...widths)).toBeLessThanOrEqual(most);
    expect(Math.max(...widths)).toBeGreaterThan(most - 10);
  } finally {
    log.mockRestore();
    process.stderr.columns = columns;
  }
});

it('a script that completes command lines has every verb, with its options and the verbs within', async () => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  try {
    expect(await program(['completion', 'bash'])).toBe('pass');
  } finally {
    write.mockRestore();
  }
  const script = written.join('');
  for (const name of verbTable.keys()) expect(script).toContain(`\n    ${name}) options='--`);
  expect(script).toMatch(/\n {4}history\) options='.*'; others='baseline' ;;/);
  expect(script).toMatch(/\n {4}run\) options='[^']*--early-stop [^']*'; others='' ;;/);
});

it('weir alone shows the help, and does not pass', async () => {
  expect(helpAsOption([])).toEqual(['--help']);
  const log = vi.spyOn(console, 'log').mockReturnValue();
  try {
    expect(await program([])).toBe('configuration');
    expect(log.mock.calls.join('')).toContain('weir run [scenario]');
  } finally {
    log.mockRestore();
  }
});

it.each([
  ['help', '--help'],
  ['help help', '--help'],
  ['help run', 'run --help'],
  ['help --quiet run', 'run --help'],
  ['help history baseline', 'history baseline --help'],
  ['--help run', 'run --help'],
  ['-h history baseline', 'history baseline --help'],
  ['--help help', '--help'],
  ['--help', '--help'],
  ['--help --quiet', '--help --quiet'],
  ['run --help', 'run --help'],
  ['-h x', '-h x'],
])('`weir %s` is `weir %s`', (given, meant) => {
  expect(helpAsOption(given.split(' '))).toEqual(meant.split(' '));
});

it('help takes one verb, and verbs within it that it has', () => {
  for (const words of ['help run extra', 'help run baseline', 'help history other'])
    expect(() => helpAsOption(words.split(' '))).toThrow(
      /^unexpected word ".*": weir help takes at/,
    );
});

it('a list of words ends with or', () => {
  expect(orList(['a', 'b', 'c'])).toBe('a, b or c');
});

it('verbs are listed in the order in which users need them, each once', () => {
  expect(verbs.slice(0, 4)).toEqual(['init', 'plan', 'run', 'compare']);
  expect(verbs.slice(-3)).toEqual(['schema', 'completion', 'help']);
  expect(new Set(verbs)).toEqual(new Set([...verbTable.keys(), 'help']));
  expect(verbs).toHaveLength(verbTable.size + 1);
});
