import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import {
  durationNotation,
  formatDuration,
  formatRate,
  type Notation,
  percentageNotation,
  rateNotation,
  sizeNotation,
} from './notation.ts';

const reads = <Q extends number>(notation: Notation<Q>, table: readonly [string, number][]) => {
  it.each(table)('reads %s as %d', (text, value) => {
    expect(notation.read(text)).toBe(value);
    expect(text).toMatch(new RegExp(notation.pattern));
  });
};

const refuses = (notation: Notation<number>, texts: readonly string[]) => {
  it.each(texts)('refuses “%s”', (text) => {
    expect(notation.read(text)).toBeNull();
  });
};

describe('durations', () => {
  reads(durationNotation, [
    ['30s', 30_000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h30m', 5_400_000],
    ['7d', 604_800_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1s500ms', 1500],
    ['5m5ms', 300_005],
    ['0s', 0],
    ['1.5s', 1500],
    ['0.07s', 70],
    ['0.25ms', 0.25],
  ]);
  refuses(durationNotation, [
    '',
    '30',
    '30 s',
    's',
    '-5s',
    '+5s',
    '1m1h',
    '1s1s',
    '30sec',
    '10:30',
    '1e3s',
    '.5s',
    '5.s',
    '30S',
    '30s ',
    'none',
  ]);

  it('are read back from their written form, exact to the microsecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 604_800_000_000 }), (microseconds) => {
        const length = milliseconds(microseconds / 1000);
        expect(durationNotation.read(formatDuration(length))).toBeCloseTo(length, 6);
      }),
    );
  });

  it('are written with the largest units first and without zero parts', () => {
    const lengths = [0, 0.5, 1500, 60_000, 5_400_000, 86_400_000 + 1];
    expect(lengths.map((length) => formatDuration(milliseconds(length)))).toEqual([
      '0s',
      '0.5ms',
      '1s500ms',
      '1m',
      '1h30m',
      '1d1ms',
    ]);
  });
});

describe('rates', () => {
  reads(rateNotation, [
    ['20/s', 20],
    ['60/min', 1],
    ['60/m', 1],
    ['3600/h', 1],
    ['0/s', 0],
    ['0.5/s', 0.5],
    ['30/min', 0.5],
  ]);
  refuses(rateNotation, [
    '20',
    '20/',
    '/s',
    '-1/s',
    '20 /s',
    '20/sec',
    '20/1s',
    '1e3/s',
    '1,000/s',
    '20rps',
  ]);

  it('are read back exactly from their written form if they are whole in some unit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1_000_000 }),
        fc.constantFrom('s', 'min', 'h'),
        (n, unit) => {
          const events = rateNotation.read(`${n}/${unit}`) ?? perSecond(Number.NaN);
          expect(rateNotation.read(formatRate(events))).toBe(events);
        },
      ),
    );
  });

  it('are written in the largest unit of time that needs no fraction, seconds first', () => {
    const written = [5, 0.5, 1 / 3, 7 / 3600, Math.PI].map((n) => formatRate(perSecond(n)));
    expect(written).toEqual(['5/s', '30/min', '20/min', '7/h', '3.141592654/s']);
  });
});

describe('percentages', () => {
  reads(percentageNotation, [
    ['99.5%', 0.995],
    ['0%', 0],
    ['100%', 1],
    ['7%', 0.07],
  ]);
  refuses(percentageNotation, ['99.5', '100.1%', '-1%', '5 %', '%', '0.5']);
});

describe('sizes', () => {
  reads(sizeNotation, [
    ['25 MB', 25_000_000],
    ['4 MiB', 4_194_304],
    ['4MiB', 4_194_304],
    ['512 kB', 512_000],
    ['512 KB', 512_000],
    ['1.5 KiB', 1536],
    ['1 GB', 1_000_000_000],
    ['1 GiB', 1_073_741_824],
    ['100 B', 100],
  ]);
  refuses(sizeNotation, ['25', '25 mb', '25  MB', '-1 MB', 'MB', '25 TB', '25M']);
});

describe('every notation', () => {
  it.each([
    ['duration', durationNotation],
    ['rate', rateNotation],
    ['percentage', percentageNotation],
    ['size', sizeNotation],
  ] as const)('%s gives examples in its message that it accepts', (_, notation) => {
    const examples = notation.expected.split(' such as ')[1]?.split(/, | or /) ?? [];
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(notation.read(example)).not.toBeNull();
    const advised = notation.withUnit(30).match(/30 ?[^\s,]+/g) ?? [];
    expect(advised.length).toBeGreaterThan(0);
    for (const text of advised) expect(notation.read(text)).not.toBeNull();
  });
});
