import { z } from 'zod';
import { type Milliseconds, milliseconds, type PerSecond, perSecond } from '../model/quantity.ts';
import { duration, formatDuration, formatRate, type Notation, rate, size } from './notation.ts';

/**
 * The kinds of field that scenario schemas are made of. Their messages are half sentences
 * (“expected …”), where needed with advice behind a semicolon; `complaint.ts` puts between the two
 * what came instead.
 */

/** What a custom issue may carry along: the words of which the value may be a misspelling. */
export interface IssueNotes {
  readonly choices?: readonly string[];
}

interface Bounds<Quantity extends number> {
  readonly least?: Quantity;
  readonly above?: Quantity;
  readonly most: Quantity;
  readonly format: (quantity: Quantity) => string;
}

const boundsSentence = <Q extends number>({ least, above, most, format }: Bounds<Q>): string => {
  if (above !== undefined) return ` above ${format(above)} and at most ${format(most)}`;
  return least === undefined
    ? ` of at most ${format(most)}`
    : ` from ${format(least)} to ${format(most)}`;
};

const refusal = <Q extends number>(notation: Notation<Q>, input: unknown, or: string): string => {
  const n =
    typeof input === 'string' && input.trim() === '' ? Number.NaN : Number(input ?? undefined);
  const expected = `expected ${notation.expected}${or}`;
  return n >= 0 ? `${expected}; a number needs its unit: ${notation.withUnit(n)}` : expected;
};

/** A field in one of the notations; with `none`, the word none gives `null`. */
const quantity = <Q extends number, N extends null>(
  notation: Notation<Q>,
  bounds: Bounds<Q>,
  none: readonly N[],
) => {
  const or = none.length > 0 ? ', or none' : '';
  const pattern = none.length > 0 ? `${notation.pattern}|^none$` : notation.pattern;
  return z
    .string({ error: ({ input }) => refusal(notation, input, or) })
    .meta({ pattern: `${pattern}|\\$\\{env:` })
    .transform((text, context): Q | N => {
      if (text === 'none' && none[0] !== undefined) return none[0];
      const value = notation.read(text);
      if (value === null) {
        const params: IssueNotes = or === '' ? {} : { choices: ['none'] };
        const message = refusal(notation, text, or);
        context.issues.push({ code: 'custom', message, input: text, params });
        return z.NEVER;
      }
      const { least, above, most } = bounds;
      if (value > most || value < (least ?? 0) || (above !== undefined && value <= above)) {
        const noun = notation.expected.split(' such as ')[0];
        const message = `expected ${noun}${boundsSentence(bounds)}${or}`;
        context.issues.push({ code: 'custom', message, input: text });
        return z.NEVER;
      }
      return value;
    });
};

/** The longest run, and the longest of anything inside one. */
export const longest = milliseconds(7 * 24 * 60 * 60 * 1000);
const zeroLength = milliseconds(0);
/** Above this no single generator can keep its promise. */
export const fastest = perSecond(1_000_000);

const upToAWeek: Bounds<Milliseconds> = { most: longest, format: formatDuration };

/** A length of time that may be zero. */
export const length = () => quantity(duration, upToAWeek, []);
/** A length of time above zero. */
export const positiveLength = () => quantity(duration, { ...upToAWeek, above: zeroLength }, []);
/** A length of time above zero, or `null` for none. */
export const lengthOrNone = () => quantity(duration, { ...upToAWeek, above: zeroLength }, [null]);

const rateBounds: Bounds<PerSecond> = { most: fastest, format: formatRate };
/** A rate that may be zero. */
export const rateFromZero = () => quantity(rate, rateBounds, []);
/** A rate above zero. */
export const positiveRate = () => quantity(rate, { ...rateBounds, above: perSecond(0) }, []);

const gibibyte = 1024 ** 3;
/** A size in bytes. */
export const byteSize = () =>
  quantity(size, { least: 1, most: gibibyte, format: (bytes) => `${bytes} B` }, []);

const grouped = (n: number): string => n.toLocaleString('en-US');

/** A whole number between bounds. */
export const whole = (least: number, most: number) => {
  const error = `expected a whole number from ${grouped(least)} to ${grouped(most)}`;
  return z.int({ error }).min(least, { error }).max(most, { error });
};

/** A whole number from 1, or `null` for none. */
export const wholeOrNone = (most: number) => {
  const error = `expected a whole number from 1 to ${grouped(most)}, or none`;
  const number = z.int({ error }).min(1, { error }).max(most, { error });
  return z
    .union([number, z.literal('none', { error })], { error })
    .transform((value) => (value === 'none' ? null : value));
};

/** A number between bounds. */
export const between = (least: number, most: number) => {
  const error = `expected a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
};

/** A number above zero. */
const aboveZero = (most: number) => {
  const error = `expected a number above 0 and at most ${grouped(most)}`;
  return z.number({ error }).gt(0, { error }).max(most, { error });
};

/** How much of something, relative to its neighbours. */
export const share = () => aboveZero(1_000_000).prefault(1);

/** The most that a million tokens may cost: with six decimals, thirteen digits, which a binary number still tells apart. */
const dearest = 1_000_000;

/** The digits of an amount are moved, not multiplied: 0.07 × 1,000,000 is no whole number in binary. */
const microUnits = (amount: number): number | null => {
  const written = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(amount));
  return written === null ? null : Number(`${written[1]}${(written[2] ?? '').padEnd(6, '0')}`);
};

/** An amount of money such as 0.15, as whole millionths of the currency's unit. */
export const money = () => {
  const error = `expected an amount from 0 to ${grouped(dearest)} with at most 6 decimals, such as 0.15`;
  return z
    .number({ error })
    .min(0, { error })
    .max(dearest, { error })
    .transform((amount, context): number => {
      const micro = microUnits(amount);
      if (micro !== null) return micro;
      context.issues.push({ code: 'custom', message: error, input: amount });
      return z.NEVER;
    });
};

/** Text of at least one character. */
export const text = () =>
  z.string({ error: 'expected text' }).min(1, { error: 'expected text that is not empty' });
