import type { Measure } from '../../model/measures/measure.ts';
import { type ObjectiveFigure, unitOfFigure } from '../../model/plan/objective.ts';
import {
  durationNotation,
  type Notation,
  percentageNotation,
  rateNotation,
  sizeNotation,
} from '../schema/notation.ts';

/** How the bounds of objectives are written: every unit has its notation. */

type BoundNotation = Pick<Notation<number>, 'read' | 'expected'> & {
  /** What to say to a plain number; `null` where it is one. */
  readonly withUnit: ((n: number) => string) | null;
};

const scaled = (
  { read, expected, withUnit }: Notation<number>,
  factorNotation: number,
): BoundNotation => ({
  read: (text) => {
    const value = read(text);
    return value === null ? null : Number((value * factorNotation).toPrecision(15));
  },
  expected,
  withUnit,
});

const plainNumber = (expected: string): BoundNotation => ({
  read: (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : null),
  expected,
  withUnit: null,
});

const factorNotation: Notation<number> = {
  read: (text) => (/^\d+(\.\d+)?x$/.test(text) ? Number(text.slice(0, -1)) : null),
  expected: 'a multiple of real time such as 0.5x',
  withUnit: (n) => `${n}x`,
  pattern: '',
};

/** Unlike a share, a word error rate can be above 100 %. */
const anyPercentage: Notation<number> = {
  ...percentageNotation,
  read: (text) => (/^\d+(\.\d+)?%$/.test(text) ? Number(text.slice(0, -1)) : null),
  expected: 'a percentage such as 5%',
};

const currency = plainNumber('an amount of the currency such as 0.002');

const measureNotations = {
  ms: scaled(durationNotation, 1),
  s: scaled(durationNotation, 1 / 1000),
  'ms/s': scaled(factorNotation, 1000),
  'tokens/s': scaled(rateNotation, 1),
  'characters/s': scaled(rateNotation, 1),
  tokens: plainNumber('a number of tokens'),
  'tokens/chunk': plainNumber('a number of tokens'),
  characters: plainNumber('a number of characters'),
  models: plainNumber('a number of models'),
  bytes: scaled(sizeNotation, 1),
  '%': scaled(anyPercentage, 1),
  µ: {
    ...currency,
    read: (text) => {
      const units = currency.read(text);
      return units === null ? null : Math.round(units * 1e6);
    },
  },
} as const satisfies Record<Measure['unit'], BoundNotation>;

const runNotations = {
  count: plainNumber('a number of arrivals'),
  share: scaled(percentageNotation, 100),
  rate: scaled(rateNotation, 1),
} as const satisfies Record<Exclude<ObjectiveFigure['kind'], 'measure'>, BoundNotation>;

const notationOf = (figure: ObjectiveFigure): BoundNotation =>
  figure.kind === 'measure'
    ? measureNotations[unitOfFigure(figure) as Measure['unit']]
    : runNotations[figure.kind];

/** The bound in the figure's unit, or what was expected in its place. */
export const readBound = (
  figure: ObjectiveFigure,
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
