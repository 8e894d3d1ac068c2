import type { Measure } from '../model/measure.ts';
import { type Figure, unitOfFigure } from '../model/objective.ts';
import { duration, type Notation, percentage, rate, size } from './notation.ts';

/** How the bounds of objectives are written: every unit has its notation. */

type BoundNotation = Pick<Notation<number>, 'read' | 'expected'> & {
  /** What to say to a plain number; `null` where it is one. */
  readonly withUnit: ((n: number) => string) | null;
};

const scaled = ({ read, expected, withUnit }: Notation<number>, factor: number): BoundNotation => ({
  read: (text) => {
    const value = read(text);
    return value === null ? null : Number((value * factor).toPrecision(15));
  },
  expected,
  withUnit,
});

const plain = (expected: string): BoundNotation => ({
  read: (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : null),
  expected,
  withUnit: null,
});

const factor: Notation<number> = {
  read: (text) => (/^\d+(\.\d+)?x$/.test(text) ? Number(text.slice(0, -1)) : null),
  expected: 'a multiple of real time such as 0.5x',
  withUnit: (n) => `${n}x`,
  pattern: '',
};

/** Unlike a share, a word error rate can be above 100 %. */
const anyPercentage: Notation<number> = {
  ...percentage,
  read: (text) => (/^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : null),
  expected: 'a percentage such as 5%',
};

const currency = plain('an amount of the currency such as 0.002');

const notations = {
  ms: scaled(duration, 1),
  s: scaled(duration, 1 / 1000),
  'ms/s': scaled(factor, 1000),
  'tokens/s': scaled(rate, 1),
  'characters/s': scaled(rate, 1),
  tokens: plain('a number of tokens'),
  'tokens/chunk': plain('a number of tokens'),
  characters: plain('a number of characters'),
  models: plain('a number of models'),
  bytes: scaled(size, 1),
  '%': scaled(anyPercentage, 1),
  µ: {
    ...currency,
    read: (text) => {
      const units = currency.read(text);
      return units === null ? null : Math.round(units * 1e6);
    },
  },
} as const satisfies Record<Measure['unit'], BoundNotation>;

const ofRun = {
  count: plain('a number of arrivals'),
  share: scaled(percentage, 100),
  rate: scaled(rate, 1),
} as const satisfies Record<Exclude<Figure['kind'], 'measure'>, BoundNotation>;

const notationOf = (figure: Figure): BoundNotation =>
  figure.kind === 'measure'
    ? notations[unitOfFigure(figure) as Measure['unit']]
    : ofRun[figure.kind];

/** The bound in the figure's unit, or what was expected in its place. */
export const readBound = (
  figure: Figure,
  text: string,
): { readonly bound: number } | { readonly expected: string } => {
  const { read, expected, withUnit } = notationOf(figure);
  const bound = read(text);
  if (bound !== null) return { bound };
  const isNumber = /^\d+(\.\d+)?$/.test(text);
  return {
    expected:
      isNumber && withUnit !== null
        ? `expected ${expected}; a number needs its unit: ${withUnit(Number(text))}`
        : `expected ${expected}`,
  };
};
