import { describe, expect, it } from 'vitest';
import {
  axisBetween,
  axisTo,
  logarithmicAxis,
  multiplesBetween,
  plotFigure,
  roundAbove,
  roundBelow,
  rowAxis,
  timeAxis,
} from './plot.ts';

const textsOf = ({ ticks }: { readonly ticks: readonly (readonly [number, string])[] }) =>
  ticks.map(([, text]) => text).join(' ');

describe('an axis', () => {
  it('has multiples of a round step, also at its ends', () => {
    expect(multiplesBetween(0, 1, 0.25)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(multiplesBetween(1, 10, 3)).toEqual([3, 6, 9]);
    expect(multiplesBetween(4, 5, 3)).toEqual([]);
    expect(multiplesBetween(-2, 2, 2)).toEqual([-2, 0, 2]);
  });

  it('between two values has about four ticks', () => {
    expect(textsOf(axisBetween(0, 10))).toBe('0 2.5 5 7.5 10');
    expect(textsOf(axisBetween(0, 8))).toBe('0 2 4 6 8');
    expect(textsOf(axisBetween(0, 4000))).toBe('0 1,000 2,000 3,000 4,000');
    expect(textsOf(axisBetween(3, 19))).toBe('5 10 15');
    expect(axisBetween(3, 19).ends).toEqual([3, 19]);
    // Ticks that would look alike get more digits.
    expect(textsOf(axisBetween(0, 1, (value) => value.toFixed(0)))).toBe('0 0.25 0.5 0.75 1');
  });

  it('from zero ends at a round number that is not below the most', () => {
    const endOf = (most: number): number => axisTo(most).ends[1];
    expect([8, 9, 10, 101, 0.3].map(endOf)).toEqual([8, 10, 10, 150, expect.closeTo(0.3, 9)]);
    expect(textsOf(axisTo(101))).toBe('0 50 100 150');
  });

  it('of time has at most six round steps', () => {
    const seconds = (end: number) => textsOf(timeAxis(end, (at) => String(at)));
    expect(seconds(6)).toBe('0 1 2 3 4 5 6');
    expect(seconds(7)).toBe('0 2 4 6');
    expect(seconds(60)).toBe('0 10 20 30 40 50 60');
    expect(seconds(61)).toBe('0 15 30 45 60');
    expect(seconds(3600)).toBe('0 600 1200 1800 2400 3000 3600');
    expect(seconds(86_400 * 12)).toBe('0 200000 400000 600000 800000 1000000');
  });

  it('of magnitudes has 1, 2 and 5 times powers of ten, the powers first', () => {
    const axis = logarithmicAxis(1, 100);
    expect(axis.isLogarithmic).toBe(true);
    expect(axis.ticks.map(([value]) => value)).toEqual([1, 10, 100, 5, 50, 2, 20]);
    expect(textsOf(logarithmicAxis(150, 900))).toBe('500 200 200 400 600 800'.slice(8));
  });

  it('of names has each in the middle of its row, from above', () => {
    expect(rowAxis(['a', 'b'])).toEqual({
      ends: [2, 0],
      ticks: [
        [0.5, 'a'],
        [1.5, 'b'],
      ],
      hasRows: true,
    });
  });

  it('is round below and above a value, which may be round itself', () => {
    expect([1, 1.5, 2, 4.9, 5, 9, 10, 0.03, 700].map(roundBelow)).toEqual([
      1, 1, 2, 2, 5, 5, 10, 0.02, 500,
    ]);
    expect([1, 1.5, 2, 4.9, 5, 9, 10, 0.03, 700].map(roundAbove)).toEqual([
      1, 2, 2, 5, 5, 10, 10, 0.05, 1000,
    ]);
  });
});

describe('a drawing', () => {
  const figure = (size: readonly [number, number], more: object = {}) =>
    plotFigure(
      { title: 'Latency', unit: 'ms', size, x: axisBetween(0, 10), y: axisTo(100), ...more },
      (pen) => [
        pen.dot('chat', [5, 50], 'one'),
        pen.path('line', [
          [0, 0],
          [10, 100],
        ]),
        pen.path('none', []),
        pen.dots('few', [[5, 50]]),
        pen.upright('mark', 10, 'end'),
      ],
    ).markup;
  /** Where the axes begin and end, in pixels: a grid line goes over the whole width, another over the height. */
  const box = (svg: string) => {
    const [, left, , right] = /class="grid" d="M([\d.]+) ([\d.]+)H([\d.]+)"/.exec(svg)!;
    const [, , top, bottom] = /class="grid" d="M([\d.]+) ([\d.]+)V([\d.]+)"/.exec(svg)!;
    return [left, right, top, bottom].map(Number) as [number, number, number, number];
  };

  it('has its marks at their values', () => {
    const svg = figure([400, 200]);
    const [left, right, top, bottom] = box(svg);
    expect([left, right, top, bottom]).toEqual([54, 386, 12, 166]);
    const [, x, y] = /<circle class="chat" cx="([\d.]+)" cy="([\d.]+)" r="3.5">/.exec(svg)!;
    expect([Number(x), Number(y)]).toEqual([(left + right) / 2, (top + bottom) / 2]);
    expect(svg).toContain(`<path class="line" d="M${left}.0 ${bottom}.0L${right}.0 ${top}.0"`);
    expect(svg).not.toContain('class="none"');
    expect(svg).toContain(`<path class="dots few" d="M${x} ${y}h0"`);
    expect(svg).toContain('<title>one</title>');
    // A text has no room to the right of the edge.
    expect(svg).toMatch(/<g class="mark">[^]*text-anchor="end">end</);
  });

  it('has texts of ticks that end at the tick where less than 24 pixels are left, else are in its middle', () => {
    // The axis is 332 pixels long and ends 14 before the edge, so 322 is at 376 of 400.
    const anchorsOf = (tick: number): string | undefined => {
      const x = { ends: [0, 332], ticks: [[tick, 'here']] } as const;
      return /text-anchor="(\w+)">here</.exec(figure([400, 200], { x }))?.[1];
    };
    expect([0, 321, 322, 323, 332].map(anchorsOf)).toEqual([
      'middle',
      'middle',
      'middle',
      'end',
      'end',
    ]);
  });

  it('says what it shows, and is drawn a second time for narrow screens if it is wide', () => {
    const narrow = figure([400, 200], { aside: 'of all', keys: ['chat'] });
    expect(narrow).toContain('aria-label="Latency: of all"');
    expect(narrow).toContain('<span class="key dot chat">chat</span>');
    expect(narrow).toContain('<p class="aside">of all</p>');
    expect(narrow.match(/<svg/g)).toHaveLength(1);
    expect(figure([999, 200]).match(/<svg/g)).toHaveLength(1);
    const wide = figure([1000, 200], { label: 'said' });
    expect(wide.match(/<svg class="(?:wide|narrow)" viewBox="0 0 (?:1000|370) 200"/g)).toHaveLength(
      2,
    );
    expect(wide).toContain('aria-label="said"');
  });

  it('has names of rows above them where it is narrow and they are long', () => {
    const rows = (name: string) =>
      figure([1000, 200], { y: rowAxis([name, 'b']), x: axisBetween(0, 10) });
    // Each of two names adds its height.
    expect(rows('a very long name of a row')).toContain('viewBox="0 0 370 236"');
    expect(rows('short')).toContain('viewBox="0 0 370 200"');
  });

  it('leaves out ticks beyond its ends, or too close to a more important one', () => {
    const ticks: [number, string][] = [
      [5, 'first'],
      [5.1, 'close'],
      [-1, 'before'],
      [0, 'begin'],
      [10, 'last'],
    ];
    const svg = figure([400, 200], { x: { ends: [0, 10], ticks, label: 'time' } });
    for (const shown of ['first', 'begin', 'last', 'time']) expect(svg).toContain(`>${shown}<`);
    for (const hidden of ['close', 'before']) expect(svg).not.toContain(`>${hidden}<`);
  });
});
