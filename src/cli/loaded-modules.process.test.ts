import { relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinsLoadedBy, filesLoadedBy } from './loaded-files.fixture.ts';
import { verbTable } from './verb-table.ts';

const launcher = resolve('src/cli/weir.js');

/**
 * The most files that a command line may load, its own and those of packages: what it loads now and two more. A file takes some 0.3 ms
 * of CPU at each start, and one import of a package or of a room can bring a hundred. Raise a number only for what the command needs.
 */
const most: Readonly<Record<string, number>> = {
  '--version': 15,
  '--help': 40,
  'validate scenarios/quickstart.yaml': 357,
  'plan scenarios/quickstart.yaml': 405,
  'run --help': 53,
  'compare --help': 52,
  'history --help': 44,
  'limits --help': 50,
  'cache --help': 51,
  'fairness --help': 51,
  'recovery --help': 51,
  'check --help': 51,
  'capacity --help': 51,
  'sweep --help': 53,
  'calibrate --help': 50,
  'doctor --help': 51,
  'init --help': 43,
  'import --help': 44,
  'plan --help': 49,
  'validate --help': 48,
  'report --help': 49,
  'merge --help': 49,
  'coordinate --help': 56,
  'worker --help': 50,
  'emit --help': 50,
  'mock --help': 46,
  'schema --help': 43,
  'completion --help': 43,
};

/** The wings whose verb has another name than they. */
const wingOf: Readonly<Record<string, string>> = {
  coordinate: 'fleet',
  merge: 'fleet',
  mock: 'mock-server',
  worker: 'fleet',
};

/** The wings that a verb is made of besides its own. */
const madeOf: Readonly<Record<string, readonly string[]>> = { emit: ['fleet'] };

/** The wings whose files are among these, apart from those of a verb. */
const otherWings = (verb: string, files: readonly string[]): readonly string[] => {
  const own = [wingOf[verb] ?? verb, ...(madeOf[verb] ?? [])];
  const wings = files.flatMap((file) => /^src\/verbs\/([^/]+)\//.exec(file)?.[1] ?? []);
  return wings.filter((wing) => !own.includes(wing));
};

describe('the start of', () => {
  it.each(Object.entries(most))(
    'weir %s loads few files, and none of other verbs',
    (words, bound) => {
      const files = filesLoadedBy(launcher, words.split(' ')).map((file) => relative('.', file));
      expect(files.length, files.join('\n')).toBeLessThanOrEqual(bound);
      // A bound far above what is loaded would let the next import in.
      expect(files.length).toBeGreaterThan(bound - 8);
      expect(otherWings(words.replace(/ .*/, ''), files)).toEqual([]);
    },
  );

  it('a run loads no judges and no pages before its load, nor what only some runs need', () => {
    // Nothing listens there: the run ends when everything but its load is loaded.
    const words = 'run --target http://127.0.0.1:9/v1 --kind models --rate 1/s --duration 1s';
    const files = filesLoadedBy(launcher, words.split(' '), 2).map((file) => relative('.', file));
    expect(files).toContain('src/engine/run-slice.ts');
    const later =
      /^src\/(judge|report\/(document|html|junit))\/|\/(saturate|worker-pool|capture|live-page|live-metrics|history-db|forecast)\.ts$/;
    expect(files.filter((file) => later.test(file))).toEqual([]);
  });

  it('the gateway of a run loads nothing that reads scenarios or recordings', () => {
    const loadedWith = (...options: readonly string[]): readonly string[] =>
      filesLoadedBy(launcher, ['mock', '--embedded', ...options], 0, '{}\n');
    const files = loadedWith('--no-uploads').map((file) => relative('.', file));
    expect(files).toContain('src/mock/gateway/start.ts');
    const unneeded =
      /\/(scenario-schema|schema-walk|read-plan)\.ts$|\/node_modules\/(yaml|music-metadata)\//;
    expect(files.filter((file) => unneeded.test(file))).toEqual([]);
    expect(loadedWith().some((file) => file.includes('/music-metadata/'))).toBe(true);
  });

  it('weir validate loads neither TLS nor cryptography, which take 20 ms of CPU', () => {
    const builtins = builtinsLoadedBy(launcher, ['validate', 'scenarios/quickstart.yaml']);
    expect(builtins).toContain('net');
    expect(builtins.filter((name) => ['tls', 'crypto', 'http', 'https'].includes(name))).toEqual(
      [],
    );
  });

  it('every verb is counted', () => {
    const helps = [...verbTable.keys()].map((verb) => `${verb} --help`);
    expect(Object.keys(most)).toEqual(expect.arrayContaining(helps));
  });
});
