import { describe, expect, it } from 'vitest';
import { checkKeyName } from './key-name.ts';
import { sliceCountFrom, wholeNumberFrom } from './number-options.ts';
import { planSourceFrom, runIdFrom, sliceFrom, startAtFrom } from './scenario-options.ts';
import { scenarioSourceFrom } from './target-options.ts';

type Given = Parameters<typeof planSourceFrom>[0];

const none: Given = {
  scenario: undefined,
  target: undefined,
  transport: undefined,
  workers: undefined,
  set: [],
  allowFiles: false,
  model: undefined,
  kind: undefined,
  prompt: undefined,
  maxTokens: undefined,
  text: undefined,
  voice: undefined,
  clip: undefined,
  rate: undefined,
  users: undefined,
  iterations: undefined,
  duration: undefined,
};
const source = (given: Partial<Given>, ...wanted: readonly string[]) =>
  planSourceFrom({ ...none, ...given }, ...wanted);

describe('where a plan comes from', () => {
  it('is a file with what overrides it, or options in its place', () => {
    const overrides = {
      target: 'mock',
      transport: 'undici',
      workers: '2',
      set: ['warmUp=5s'],
      allowFiles: true,
    };
    expect(source({ scenario: 'a.yaml', ...overrides })).toMatchObject({
      scenario: 'a.yaml',
      ...overrides,
    });
    const flags = { model: 'm', rate: '5/s', duration: '30s', maxTokens: '9' };
    expect(source(flags)).toMatchObject({ scenario: undefined, flags });
    expect(source({ model: 'm', users: '5' }).flags).toMatchObject({ users: '5' });
  });

  it.each<[Partial<Given>, string]>([
    [{}, 'expected a scenario file, or --model with --rate and --duration (or --users) in its'],
    [{ target: 'mock', set: ['warmUp=5s'] }, 'expected a scenario file'],
    [{ scenario: 'a.yaml', rate: '5/s' }, '--rate stands in for a scenario file, and one was'],
    [
      { scenario: 'a.yaml', rate: '5/s' },
      '(a.yaml): leave it out, or change its fields with --set',
    ],
    [{ scenario: 'a.yaml', maxTokens: '5', duration: '1s' }, '--max-tokens, --duration stand in'],
    [
      { scenario: 'http://h/v1', model: 'm' },
      'http://h/v1 is an address: write --target http://h/v1',
    ],
    [{ model: 'm', rate: '5/s', users: '3' }, '--rate and --users: keep one of them'],
    [{ model: 'm', rate: '5/s', iterations: '3' }, '--rate and --iterations: keep one of them'],
  ])('is refused for %j', (given, message) => {
    expect(() => source(given)).toThrow(message);
  });

  it('is named by the verb where it wants something else', () => {
    expect(() => source({}, 'a moon')).toThrow(/^expected a moon; got nothing$/);
    const given = { scenario: undefined, set: [], target: 'mock', allowFiles: false };
    expect(() => scenarioSourceFrom(given, 'with two populations')).toThrow(
      /^expected a scenario file with two populations; got nothing$/,
    );
    expect(scenarioSourceFrom({ ...given, scenario: 'a.yaml', set: ['a=b'] }, '')).toEqual({
      scenario: 'a.yaml',
      flags: {},
      set: ['a=b'],
      target: 'mock',
      allowFiles: false,
    });
  });
});

describe('the id of a run', () => {
  it('is what a header can carry, up to 128 characters, or is left to Weir', () => {
    for (const id of ['a', '!~', 'x'.repeat(128), undefined]) expect(runIdFrom(id)).toBe(id);
    for (const id of ['', 'a b', 'é', 'x'.repeat(129), 'a\n']) {
      expect(() => runIdFrom(id)).toThrow(
        `--run-id: expected 1 to 128 visible ASCII characters without spaces, since each request sends it in a header; got ${JSON.stringify(id)}`,
      );
    }
  });
});

describe('the start of a run', () => {
  it('is an instant with its time zone', () => {
    expect(startAtFrom(undefined)).toBeUndefined();
    expect(startAtFrom('1970-01-01T00:00:01Z')).toBe(1000);
    expect(startAtFrom('1970-01-01T00:00:01.250z')).toBe(1250);
    expect(startAtFrom('1970-01-01T01:00:01+01:00')).toBe(1000);
    expect(startAtFrom('1969-12-31T23:30:00-00:30')).toBe(0);
  });

  it.each(['2026-11-24T20:15:00', '20:15', '2026-11-24', '2026-13-24T20:15:00Z', 'soon', ''])(
    'is not "%s"',
    (text) => {
      expect(() => startAtFrom(text)).toThrow(
        `--start-at: expected an instant with its time zone, such as 2026-11-24T20:15:00Z or 2026-11-24T21:15:00+01:00; got ${text}`,
      );
    },
  );
});

describe('a slice', () => {
  it('is the whole run, one of several, or what the launcher says', () => {
    expect(sliceFrom(undefined, {})).toEqual({ index: 0, count: 1 });
    expect(sliceFrom('0/1', {})).toEqual({ index: 0, count: 1 });
    expect(sliceFrom('2/3', {})).toEqual({ index: 2, count: 3 });
    expect(sliceFrom('9998/9999', {})).toEqual({ index: 9998, count: 9999 });
    const slurm = { SLURM_PROCID: '1', SLURM_NTASKS: '4' };
    expect(sliceFrom('auto', slurm)).toEqual({ index: 1, count: 4 });
  });

  it.each(['3/3', '0/0', '0/10000', '-1/3', '1', '1/3/4', 'a/b', '1.5/3', 'x1/3'])(
    'is not "%s"',
    (text) => {
      expect(() => sliceFrom(text, {})).toThrow(`--slice: expected INDEX/COUNT with INDEX from 0`);
    },
  );
});

describe('numbers of options', () => {
  it('are whole and within their bounds', () => {
    expect([sliceCountFrom('1'), sliceCountFrom('9999')]).toEqual([1, 9999]);
    for (const text of ['0', '10000', '2.5', '-1', 'x', '']) {
      expect(() => sliceCountFrom(text)).toThrow(
        `--slices: expected a whole number from 1 to 9999, got ${text}`,
      );
    }
    expect([wholeNumberFrom('port', '0', 9), wholeNumberFrom('port', '9', 9)]).toEqual([0, 9]);
    for (const text of ['10', '-1', '1.5', '1e1', '']) {
      expect(() => wholeNumberFrom('port', text, 9)).toThrow(
        `--port: expected a whole number from 0 to 9, got "${text}"`,
      );
    }
  });
});

describe('the name of a key', () => {
  it('is that of a variable; what may be a key is not repeated', () => {
    for (const name of [undefined, 'WEIR_API_KEY', '_A1', 'A', 'PATH'])
      expect(() => checkKeyName('key', name)).not.toThrow();
    for (const name of ['sk-abc123', '1A', 'a', 'A-B', '']) {
      const said = (() => {
        try {
          checkKeyName('second-key', name);
          return 'nothing';
        } catch (error) {
          return (error as Error).message;
        }
      })();
      expect(said).toContain('--second-key: expected the name of an environment variable');
      expect(said).toContain(`got something else (${name.length} characters`);
      if (name.length > 3) expect(said).not.toContain(name);
    }
  });
});
