import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countText,
  factorText,
  figureText,
  intervalText,
  momentText,
  moneyText,
  plural,
  shareText,
  timeText,
} from './number-text.ts';

const inBytes = (value: number): string => figureText(value, 'bytes');

describe('numbers as text', () => {
  it.each([
    [0, '0'],
    [0.004, '0.00'],
    [0.42, '0.42'],
    [8.25, '8.25'],
    [9.999, '10.0'],
    [81.34, '81.3'],
    [99.96, '100'],
    [812.4, '812'],
    [1204, '1,204'],
    [1_250_000.4, '1,250,000'],
  ])('a figure of %d reads %s', (value, text) => {
    expect(figureText(value)).toBe(text);
  });

  it('shows whole tokens as integers and keeps fractions visible', () => {
    expect([figureText(17, 'tokens'), figureText(17.5, 'tokens'), figureText(17, 'ms')]).toEqual([
      '17',
      '17.5',
      '17.0',
    ]);
  });

  it('shows characters, bytes and micro-units as integers, and many bytes in thousands', () => {
    expect(['characters', 'bytes', 'µ'].map((unit) => figureText(17, unit))).toEqual([
      '17',
      '17',
      '17',
    ]);
    expect([9999, 10_000, 64_044, 999_499, 999_500, 26_214_400].map(inBytes)).toEqual([
      '9,999',
      '10.0 kB',
      '64.0 kB',
      '999 kB',
      '1.00 MB',
      '26.2 MB',
    ]);
  });

  it.each([
    [0, '0×'],
    [0.05, '<0.0001×'],
    [0.1, '0.0001×'],
    [12.34, '0.012×'],
    [499.6, '0.5×'],
    [994.9, '0.99×'],
    [1000, '1.00×'],
    [12_340, '12.3×'],
  ])('a real-time factor of %d ms/s is %s', (value, text) => {
    expect(factorText(value)).toBe(text);
  });

  it.each([
    [0, '0.000000'],
    [15, '0.000015'],
    [1_000_000, '1.000000'],
    [1_204_000_001, '1,204.000001'],
    [9_007_199_254_740_991, '9,007,199,254.740991'],
  ])('%d micro-units of money read %s, none of them lost', (microUnits, text) => {
    expect(moneyText(microUnits)).toBe(text);
  });

  it.each([
    [0, 0, '–'],
    [0, 10, '0.0 %'],
    [1, 10_000, '<0.1 %'],
    [9999, 10_000, '>99.9 %'],
    [10_000, 10_000, '100.0 %'],
    [1, 3, '33.3 %'],
  ])('a share of %d in %d reads %s', (part, whole, text) => {
    expect(shareText(part, whole)).toBe(text);
  });

  it('never rounds some to none, nor some to all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e7 }), fc.integer({ min: 1, max: 1e7 }), (a, b) => {
        const [part, whole] = [a, a + b];
        expect(['0.0 %', '100.0 %']).not.toContain(shareText(part, whole));
      }),
    );
  });

  it.each([
    [0, '0 s'],
    [12.5, '12.5 ms'],
    [250, '250 ms'],
    [999.96, '1 s'],
    [1000, '1 s'],
    [31_240, '31.2 s'],
    [119_949, '119.9 s'],
    [120_000, '2 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [3_725_500, '1 h 2 min 5.5 s'],
  ])('%d ms reads %s', (ms, text) => {
    expect(timeText(ms)).toBe(text);
  });

  it('gives moments to a tenth of a second', () => {
    expect([400, 60_000, 125_300].map(momentText)).toEqual(['0.4 s', '60.0 s', '2 min 5.3 s']);
  });

  it('shows … for a bound that no sample gives', () => {
    expect([intervalText(790, 850), intervalText(790, null), intervalText(null, null)]).toEqual([
      '790–850',
      '790–…',
      '…–…',
    ]);
  });

  it('a count has its commas where the engine puts them', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true })),
        (value) => {
          // Nothing is minus zero.
          expect(countText(value)).toBe((Math.round(value) + 0).toLocaleString('en-US'));
        },
      ),
    );
  });

  it('counts with separators and agrees with its noun', () => {
    expect([countText(1234567), plural(1, 'key'), plural(0, 'key'), plural(2000, 'key')]).toEqual([
      '1,234,567',
      '1 key',
      '0 keys',
      '2,000 keys',
    ]);
  });
});
