import { describe, expect, it } from 'vitest';
import { countFrom, repetitionRequestFrom, sidesFrom } from './compare-options.ts';

type Given = Parameters<typeof repetitionRequestFrom>[0];

/** What the parser gives if none of these options is used. */
const none: Given = {
  repeat: undefined,
  pause: undefined,
  baseline: [],
  against: undefined,
  self: false,
  gate: undefined,
  strict: false,
  allowDifferent: false,
  observations: undefined,
  requests: undefined,
  junit: undefined,
  csv: undefined,
  bill: undefined,
  summary: undefined,
  jobSummary: undefined,
};
const asked = (given: Partial<Given>) => repetitionRequestFrom({ ...none, ...given });

describe('a run is one run', () => {
  it.each([{}, { strict: true }, { csv: 'a.csv', requests: 'b.csv' }])(
    'where nothing asks for more: %j',
    (given) => {
      expect(asked(given)).toBeNull();
    },
  );
});

describe('several runs', () => {
  it.each<[Partial<Given>, object]>([
    [{ repeat: '3' }, { repetitions: 3, baseline: [], self: false }],
    [{ repeat: '1' }, { repetitions: 1 }],
    [
      { repeat: '3', pause: '5s' },
      { repetitions: 3, pause: '5s' },
    ],
    [{ baseline: ['a', 'b'] }, { repetitions: 1, baseline: ['a', 'b'], against: undefined }],
    [
      { against: 'http://h', pause: '1s' },
      { repetitions: 1, against: 'http://h', pause: '1s' },
    ],
    [
      { baseline: ['a'], gate: 'errors', strict: true, allowDifferent: true },
      { gate: 'errors', strict: true, allowDifferent: true },
    ],
    [
      { repeat: '4', self: true },
      { repetitions: 4, self: true },
    ],
    [
      { repeat: '4', self: true, gate: 'errors' },
      { self: true, gate: 'errors' },
    ],
  ])('are what %j asks for', (given, request) => {
    expect(asked(given)).toMatchObject(request);
  });

  it.each<[Partial<Given>, string]>([
    [{ repeat: '0' }, '--repeat: expected a whole number from 1 to 1000; got 0'],
    [{ repeat: '1001' }, 'from 1 to 1000; got 1001'],
    [{ repeat: '2.5' }, 'got 2.5'],
    [{ repeat: 'x' }, 'got x'],
    [{ self: true }, '--self: expected at least 4 runs, better ten (--repeat 10); got 1'],
    [{ self: true, repeat: '3' }, 'better ten (--repeat 10); got 3'],
    [{ self: true, repeat: '5', against: 'u' }, 'expected nothing else to compare with'],
    [{ self: true, repeat: '5', baseline: ['a'] }, 'got --baseline or --against'],
    [{ gate: 'errors' }, '--gate: expected something to compare with'],
    [{ repeat: '3', allowDifferent: true }, '--allow-different: expected something to compare'],
    [{ gate: 'x', allowDifferent: true }, '--gate, --allow-different: expected something'],
    [{ against: 'u', baseline: ['a'] }, 'expected one base, --baseline or --against; got both'],
    [{ pause: '5s' }, '--pause: expected several runs, --repeat N; got one'],
    [{ repeat: '2', observations: 'o' }, '--observations: expected one run, which is not compared'],
    [{ repeat: '2', requests: 'r', csv: 'c' }, '--requests, --csv: expected one run'],
    [{ baseline: ['a'], junit: 'j', summary: 's' }, '--junit, --summary: expected one run'],
  ])('are refused for %j', (given, message) => {
    expect(() => asked(given)).toThrow(message);
  });

  it('are as many as their option says, and one without it', () => {
    expect([undefined, '1', '1000'].map(countFrom)).toEqual([1, 1, 1000]);
  });
});

describe('the two sides of a comparison', () => {
  const sides = (base: readonly string[], more: Partial<Parameters<typeof sidesFrom>[0]> = {}) =>
    sidesFrom({ base, with: [], self: false, ...more });

  it('are two paths, or those before and after --with; one side is compared with itself', () => {
    expect(sides(['a', 'b'])).toEqual({ base: ['a'], next: ['b'] });
    expect(sides(['a'], { with: ['b'] })).toEqual({ base: ['a'], next: ['b'] });
    expect(sides(['a', 'b', 'c'], { with: ['d', 'e'] })).toEqual({
      base: ['a', 'b', 'c'],
      next: ['d', 'e'],
    });
    expect(sides(['a', 'b', 'c'], { self: true })).toEqual({ base: ['a', 'b', 'c'], next: null });
    expect(sides(['a'], { self: true })).toEqual({ base: ['a'], next: null });
  });

  it('are neither one path nor three, and --self has no other side', () => {
    expect(() => sides(['a'])).toThrow(/^expected two sides, .*; got one$/);
    expect(() => sides(['a', 'b', 'c'])).toThrow('got 3 paths without --with');
    expect(() => sides(['a', 'b'], { self: true, with: ['c'] })).toThrow(
      '--self: expected one side of runs; got another, --with',
    );
  });
});
