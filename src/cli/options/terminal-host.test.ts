import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { terminalHost } from './terminal-host.ts';

let out: string[];
let err: string[];
beforeEach(() => {
  const keep = (stream: 'stdout' | 'stderr', texts: string[]) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      texts.push(String(text));
      return true;
    });
  [out, err] = [[], []];
  keep('stdout', out);
  keep('stderr', err);
});
afterEach(() => vi.restoreAllMocks());

/** What a command prints that says, warns, prints a result, lists files and closes. */
const printed = (
  given: Parameters<typeof terminalHost>[0],
  outcome: Parameters<ReturnType<typeof terminalHost>['printer']['close']>[0],
) => {
  const { printer } = terminalHost(given);
  printer.say('said');
  printer.warn('warned');
  printer.print(outcome);
  printer.listFiles('file');
  printer.listFiles('');
  printer.close(outcome);
  return { out: out.join(''), err: err.join('') };
};
const outcome = {
  json: '{"a":1}',
  text: () => 'short',
  details: () => 'long',
  closing: () => 'end',
  isGood: true,
};

describe('what a command prints', () => {
  it('is its result on standard output and all else on standard error', () => {
    expect(printed({}, outcome)).toEqual({ out: 'short\nend\n', err: 'said\nwarned\nfile\n' });
  });

  it('is all of it with --details, without the last lines', () => {
    expect(printed({ details: true }, outcome).out).toBe('long\n');
  });

  it('is the same with --details where there is no more', () => {
    const { details: _, ...short } = outcome;
    expect(printed({ details: true }, short).out).toBe('short\n');
  });

  it('is only data with --json', () => {
    expect(printed({ json: true }, outcome)).toEqual({
      out: '{"a":1}\n',
      err: 'said\nwarned\nfile\n',
    });
  });

  it('is nothing with --json where there is no data', () => {
    expect(printed({ json: true }, { text: () => 'short' }).out).toBe('');
  });

  it('is only warnings with --quiet if all is well, and else the last lines too', () => {
    expect(printed({ quiet: true }, outcome)).toEqual({ out: '', err: 'warned\n' });
    err.length = 0;
    expect(printed({ quiet: true }, { ...outcome, isGood: false })).toEqual({
      out: '',
      err: 'warned\nend\n',
    });
  });

  it('has the last lines once, where a short text has them already', () => {
    expect(printed({}, { ...outcome, hasClosing: true }).out).toBe('short\n');
  });

  it('has the data with --json and --quiet, and no last lines', () => {
    expect(printed({ json: true, quiet: true }, { ...outcome, isGood: false })).toEqual({
      out: '{"a":1}\n',
      err: 'warned\n',
    });
  });

  it('asks only a user at a terminal', () => {
    const { isTTY } = process.stdin;
    try {
      process.stdin.isTTY = false;
      expect(terminalHost().ask).toBeNull();
      process.stdin.isTTY = true;
      expect(terminalHost().ask).toBeTypeOf('function');
    } finally {
      process.stdin.isTTY = isTTY;
    }
  });

  it('has a place for a live display unless it is quiet', () => {
    expect(terminalHost({ quiet: true }).printer.screen).toBeNull();
    expect(terminalHost().printer.screen).not.toBeNull();
  });
});
