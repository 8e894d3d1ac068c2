import type { Measure } from '../../model/measures/measure.ts';
import { unitOfServerFigure } from '../../model/measures/server-figures.ts';
import { type ObjectiveFigure, unitOfFigure } from '../../model/plan/objective.ts';
import {
  durationNotation,
  type Notation,
  percentageNotation,
  rateNotation,
  respelt,
  sizeNotation,
} from '../schema/notation.ts';

/** This file defines how the bounds of objectives are written. Each unit has a notation. */

type BoundNotation = Pick<Notation<number>, 'read' | 'expected'> & {
  /** Returns the text that should replace a plain number; `null` if a plain number is the right notation. */
  readonly withUnit: ((n: number) => string) | null;
};

const scaleNotation = (notation: BoundNotation, factor: number): BoundNotation => ({
  ...notation,
  read: (text) => {
    const value = notation.read(text);
    return value === null ? null : Number((value * factor).toPrecision(15));
  },
});

const plainNumberText = /^\d+(\.\d+)?$/;

/**
 * Returns the notation of a number with a mark after the number. With an empty mark, the notation is a plain number.
 */
const numberWith = (mark: string, expected: string): BoundNotation => ({
  read: (text) => {
    const number = text.slice(0, text.length - mark.length);
    return text.endsWith(mark) && plainNumberText.test(number) ? Number(number) : null;
  },
  expected,
  withUnit: mark === '' ? null : (n) => `${n}${mark}`,
});

const currency = numberWith('', 'an amount of the currency such as 0.002');

const measureNotations = {
  ms: durationNotation,
  s: scaleNotation(durationNotation, 1 / 1000),
  'ms/s': scaleNotation(numberWith('x', 'a multiple of real time such as 0.5x'), 1000),
  'tokens/s': scaleNotation(rateNotation, 1),
  'characters/s': scaleNotation(rateNotation, 1),
  tokens: numberWith('', 'a number of tokens'),
  'tokens/chunk': numberWith('', 'a number of tokens'),
  characters: numberWith('', 'a number of characters'),
  models: numberWith('', 'a number of models'),
  bytes: sizeNotation,
  // Unlike a share, a word error rate can be above 100 %, so this notation has no maximum.
  '%': numberWith('%', 'a percentage such as 5%'),
  µ: {
    ...currency,
    read: (text) => {
      const units = currency.read(text);
      return units === null ? null : Math.round(units * 1e6);
    },
  },
} as const satisfies Record<Measure['unit'], BoundNotation>;

const runNotations = {
  count: numberWith('', 'a number of arrivals'),
  share: scaleNotation(percentageNotation, 100),
  rate: scaleNotation(rateNotation, 1),
  'token-share': scaleNotation(percentageNotation, 100),
} as const satisfies Record<Exclude<ObjectiveFigure['kind'], 'measure' | 'server'>, BoundNotation>;

const serverNotations = {
  requests: numberWith('', 'a number such as 20'),
  number: numberWith('', 'a number such as 20'),
  '%': numberWith('%', 'a percentage such as 90%'),
  ms: durationNotation,
  '/s': scaleNotation(rateNotation, 1),
} as const satisfies Record<ReturnType<typeof unitOfServerFigure>, BoundNotation>;

const notationOf = (figure: ObjectiveFigure): BoundNotation => {
  if (figure.kind === 'server') return serverNotations[unitOfServerFigure(figure.name)];
  return figure.kind === 'measure'
    ? measureNotations[unitOfFigure(figure) as Measure['unit']]
    : runNotations[figure.kind];
};

/**
 * Says how to write a number with its unit. If a number below 1 stands for a share, the number may be a fraction, as in
 * other tools, or a percentage. In this case, the advice shows how to write both.
 */
const unitAdvice = (
  { kind }: ObjectiveFigure,
  n: number,
  withUnit: (n: number) => string,
): string =>
  (kind === 'share' || kind === 'token-share') && n > 0 && n < 1
    ? `write ${withUnit(Number((n * 100).toPrecision(12)))} for the share ${n}, or ${withUnit(n)}`
    : `a number needs its unit: ${withUnit(n)}`;

/**
 * Returns advice on words after a bound. The words may be a second objective, or may restrict the bound to a share of
 * the requests.
 */
const adviceOnWords = (text: string): string | null => {
  if (/\s(?:and|or|&&|\|\||&)\s|[,;]\s/i.test(text))
    return 'write two objectives: ["ttft.p95 < 800ms", "errorRate < 1%"]';
  return /\s(?:for|in|of)\s/.test(text)
    ? 'for a share of the requests write perRequest: [e2e < 800ms] and the objective goodput > 95%'
    : null;
};

/** Reads a bound in the unit of the figure. For any other text, returns the expected form and advice. */
export const readBound = (figure: ObjectiveFigure, text: string) => {
  const { read, expected, withUnit } = notationOf(figure);
  const bound = read(text);
  if (bound !== null) return { bound };
  const lacksUnit = withUnit !== null && plainNumberText.test(text);
  const right = respelt(text, read);
  const respelling = right === null ? adviceOnWords(text) : `write ${right}`;
  const advice = lacksUnit ? unitAdvice(figure, Number(text), withUnit) : respelling;
  return { expected, advice };
};
