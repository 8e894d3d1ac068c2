import { afterEach, describe, expect, it, vi } from 'vitest';
import { Problem, UnusableKey } from '../platform/problem.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { StoppedBeforeLoad } from '../run/input/follow-stops.ts';
import { reportError, runCommandLine } from './command-line.ts';
import { UsageProblem } from './options/define-verb.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const kept = (stream: 'stdout' | 'stderr') => {
  const written: string[] = [];
  vi.spyOn(process[stream], 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  return written;
};

const reported = (error: unknown) => {
  const written = kept('stderr');
  return [reportError(error), written.join('')];
};

describe('an error that ends a command', () => {
  it('of the command line says where help is', () => {
    expect(reported(new UsageProblem('--x: expected y'))).toEqual([
      'configuration',
      'weir: --x: expected y\nSee `weir --help` or `weir VERB --help`.\n',
    ]);
  });

  it('of a scenario begins with its place, where an editor looks for it', () => {
    expect(reported(new Problem('s.yaml:3:5: expected a rate'))).toEqual([
      'configuration',
      's.yaml:3:5: expected a rate\n',
    ]);
    expect(reported(new Problem('two things:\none\n'))).toEqual([
      'configuration',
      'two things:\none\n',
    ]);
    expect(reported(new UnusableKey('the key is refused'))).toEqual([
      'configuration',
      'weir: the key is refused\n',
    ]);
    expect(reported(new Problem('it is 12:30:00: late'))).toEqual([
      'configuration',
      'weir: it is 12:30:00: late\n',
    ]);
  });

  it.each([
    ['SIGINT', 'interrupted'],
    ['SIGTERM', 'terminated'],
    ['SIGHUP', 'hangup'],
    ['the coordinator', 'incomplete'],
  ] as const)('of a stop by %s has its exit', (cause, exit) => {
    expect(reported(new StoppedBeforeLoad(cause))).toEqual([
      exit,
      `weir: stopped by ${cause} before the load began\n`,
    ]);
  });

  it.each(['EMFILE', 'ENFILE'])('of too few descriptors (%s) says how many', (code) => {
    expect(reported(Object.assign(new Error('open'), { code }))).toEqual([
      'configuration',
      'weir: this process may open no more files (`ulimit -n`): expected at least 64; raise it with `ulimit -n 1024`\n',
    ]);
  });

  it('of Weir itself shows what happened, without the values of secret variables', () => {
    vi.stubEnv('WEIR_API_KEY', 'sk-hidden-0123');
    vi.stubEnv('DB_PASSWORD', 'hush-hush-hush');
    vi.stubEnv('WEIR_NAME', 'shown-as-it-is');
    const defect = new TypeError('sk-hidden-0123 hush-hush-hush shown-as-it-is');
    const [exit, text] = reported(defect);
    expect(exit).toBe('internal');
    expect(text).toContain(`weir ${weirVersion()}: a bug in Weir; please report it`);
    expect(text).toContain('TypeError: ');
    expect(text).toContain('command-line.test.ts');
    expect(text).toContain('shown-as-it-is');
    expect(text).not.toMatch(/sk-hidden|hush/);
    expect(reported('a text')[1]).toMatch(/ below\.\na text\n$/);
    expect(reported(Object.assign(new Error('no stack'), { stack: undefined }))[1]).toMatch(
      / below\.\nno stack\n$/,
    );
  });
});

describe('a command line', () => {
  it('--version alone prints the version', async () => {
    const written = kept('stdout');
    expect(await runCommandLine(['--version'])).toBe('pass');
    expect(written).toEqual([`${weirVersion()}\n`]);
  });

  it('that is wrong is reported, and has an exit', async () => {
    const written = kept('stderr');
    expect(await runCommandLine(['hlep'])).toBe('configuration');
    expect(written.join('')).toContain('weir: unknown verb "hlep": did you mean "help"?');
  });
});
