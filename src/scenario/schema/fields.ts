import { z } from 'zod';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import {
  durationNotation,
  type Notation,
  percentageNotation,
  plainNumberIn,
  rateNotation,
  respelt,
  sizeNotation,
} from './notation.ts';

/**
 * This file contains the functions that make the fields of scenario schemas. The message of a field is half a sentence
 * (“expected …”), with advice after a semicolon if needed. `schema-findings.ts` adds the value that was found to the
 * sentence.
 */

/** The parameters of an issue that a field itself raises. `choices` are words that the user may have misspelt. */
export interface IssueParams {
  readonly choices?: readonly string[];
}

interface Bounds {
  readonly above?: number;
  readonly max: number;
  readonly words: string;
}

const notationError = <Q extends number>(
  notation: Notation<Q>,
  input: unknown,
  or: string,
): string => {
  const isNumber = typeof input === 'number' || (typeof input === 'string' && input.trim() !== '');
  const n = isNumber ? Number(input) : Number.NaN;
  const expected = `expected ${notation.expected}${or}`;
  if (/^(?:inf|infinity|infinite|max|unlimited|forever)$/i.test(String(input))) {
    if (notation.pattern === rateNotation.pattern)
      return `${expected}; as many as the gateway answers is the load "saturate", or --users`;
    if (notation.pattern === durationNotation.pattern)
      return `${expected}; a run has an end, after 7d at most: Ctrl-C ends it early and keeps the report`;
  }
  if (n >= 0) return `${expected}; a number needs its unit: ${notation.withUnit(n)}`;
  const right = typeof input === 'string' ? respelt(input, notation.read) : null;
  return right === null ? expected : `${expected}; write ${right}`;
};

/**
 * Returns a field for a quantity in its notation. If `none` contains `null`, the field also accepts the word "none",
 * which becomes `null`.
 */
const quantityField = <Q extends number, N extends null>(
  notation: Notation<Q>,
  { above = -1, max, words }: Bounds,
  none: readonly N[],
) => {
  const or = none.length > 0 ? ', or none' : '';
  const pattern = none.length > 0 ? `${notation.pattern}|^none$` : notation.pattern;
  return z
    .string({ error: ({ input }) => notationError(notation, input, or) })
    .meta({ pattern: `${pattern}|\\$\\{env:` })
    .transform((text, context): Q | N => {
      if (text === 'none' && none[0] !== undefined) return none[0];
      const value = notation.read(text);
      if (value !== null && value > above && value <= max) return value;
      const [noun = ''] = notation.expected.split(/(?: from 0%.*)? such as /);
      const outside = `expected ${noun} ${words}${or}`;
      const isNegative = text.startsWith('-') && notation.read(text.slice(1)) !== null;
      const message = value === null && !isNegative ? notationError(notation, text, or) : outside;
      const params: IssueParams = value === null && or !== '' ? { choices: ['none'] } : {};
      context.issues.push({ code: 'custom', message, input: text, params });
      return z.NEVER;
    });
};

/** No run may last longer than this, and no duration in its scenario may be longer. */
export const longestDuration = milliseconds(7 * 24 * 60 * 60 * 1000);
/** The maximum rate of a load. No single load generator can reach a higher rate. */
export const highestRate = perSecond(1_000_000);

const durationBounds: Bounds = { max: longestDuration, words: 'from 0s to 7d' };
const aboveZero: Bounds = { max: longestDuration, above: 0, words: 'above 0s and at most 7d' };

/** Returns a field for a duration that may be zero. */
export const durationField = () => quantityField(durationNotation, durationBounds, []);
export const positiveDurationField = () => quantityField(durationNotation, aboveZero, []);
/** Returns a field for a duration above zero, or for the word "none", which becomes `null`. */
export const durationOrNoneField = () => quantityField(durationNotation, aboveZero, [null]);

const rateBounds: Bounds = { max: highestRate, words: 'from 0/s to 1000000/s' };
const positiveRates = { ...rateBounds, above: 0, words: 'above 0/s and at most 1000000/s' };
/** Returns a field for a rate that may be zero. */
export const rateFromZeroField = () => quantityField(rateNotation, rateBounds, []);
export const positiveRateField = () => quantityField(rateNotation, positiveRates, []);

const sizeBounds: Bounds = { max: 1024 ** 3, above: 0, words: 'from 1 B to 1073741824 B' };
export const byteSizeField = () => quantityField(sizeNotation, sizeBounds, []);

/** Returns a field for a percentage above 0%. The value is a share from 0 to 1. */
export const percentageField = () =>
  quantityField(percentageNotation, { above: 0, max: 1, words: 'above 0%' }, []);

const groupDigits = (n: number): string => n.toLocaleString('en-US');

/** Returns advice on a text in the place of a plain number: `; write 2000000` for `2M`. */
export const numberAdvice = (input: unknown): string => {
  if (typeof input !== 'string') return '';
  const n = plainNumberIn(input);
  if (n !== null) return `; write ${n}`;
  return /^\d+(?:(?:,|\.\.|-)\d+)+(?:\*\d+)?$/.test(input)
    ? '; several values, one after the other, are a sweep: `weir sweep --vary load.users=1,2,4`'
    : '';
};

/** Returns advice on a text in the place of a number per minute: `; write 300, the number a minute` for `5/s`. */
export const perMinuteAdvice = (input: unknown): string => {
  if (typeof input !== 'string') return '';
  const { read } = rateNotation;
  const rate = read(input) ?? read(respelt(input, read) ?? '');
  if (rate === null) return numberAdvice(input);
  const perMinute = Number((rate * 60).toPrecision(12));
  return Number.isInteger(perMinute) ? `; write ${perMinute}, the number a minute` : '';
};

type Wrong = Readonly<{ input?: unknown }>;

/**
 * Returns a field for a whole number between bounds. The bounds are formatted only for a message, since formatting the
 * first number takes some milliseconds.
 */
export const wholeNumberField = (min: number, max: number) => {
  const error = ({ input }: Wrong) =>
    `expected a whole number from ${groupDigits(min)} to ${groupDigits(max)}${numberAdvice(input)}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
};

/** Returns a field for a whole number from 1, or for the word "none", which becomes `null`. */
export const wholeNumberOrNoneField = (max: number, adviceFor = numberAdvice) => {
  const error = ({ input }: Wrong) =>
    `expected a whole number from 1 to ${groupDigits(max)}, or none${adviceFor(input)}`;
  const number = z.int({ error }).min(1, { error }).max(max, { error });
  return z
    .union([number, z.literal('none', { error })], { error })
    .transform((value) => (value === 'none' ? null : value));
};

export const numberBetweenField = (min: number, max: number) => {
  const error = `expected a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
};

export const positiveNumberField = (max: number) => {
  const error = ({ input }: Wrong) =>
    `expected a number above 0 and at most ${groupDigits(max)}${numberAdvice(input)}`;
  return z.number({ error }).gt(0, { error }).max(max, { error });
};

/** Returns a field for a weight. Its meaning depends on the weights of the other entries in the list. */
export const weightField = () => withDefault(positiveNumberField(1_000_000), 1);

/**
 * A million tokens can cost at most this much. With six decimals, such a price has thirteen digits, for which a
 * JavaScript number is exact enough.
 */
const maxPrice = 1_000_000;

/**
 * Converts an amount to millionths by moving the decimal point in its text. A multiplication would not be exact: in
 * JavaScript, 8.2 × 1,000,000 is 8199999.999999999. Returns `null` if the amount has more than six decimals.
 */
const microUnits = (amount: number): number | null => {
  const written = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(amount));
  return written === null ? null : Number(`${written[1]}${(written[2] ?? '').padEnd(6, '0')}`);
};

/** Returns a field for an amount of money such as 0.15. The value is in whole millionths of the currency's unit. */
export const moneyField = () => {
  const error = ({ input }: Wrong) =>
    `expected an amount from 0 to ${groupDigits(maxPrice)} with at most 6 decimals, such as 0.15${numberAdvice(input)}`;
  return z
    .number({ error })
    .min(0, { error })
    .max(maxPrice, { error })
    .transform((amount, context): number => {
      const micro = microUnits(amount);
      if (micro !== null) return micro;
      context.issues.push({ code: 'custom', message: error({}), input: amount });
      return z.NEVER;
    });
};

export const filledText = (missing: string, empty = missing) => z.string(missing).min(1, empty);
export const textField = () => filledText('expected text', 'expected text that is not empty');

export const nameField = (max: number) =>
  textField().max(max, `expected a name of at most ${max} characters`);

export const wordField = <const Word extends string>(words: readonly Word[], usual: Word) =>
  z.enum(words).default(usual as never);

export const listField = <Entry extends z.ZodType>(entry: Entry, expected: string, one: string) =>
  z.array(entry, `expected ${expected}`).min(1, `expected at least one ${one}`);

/** Returns a schema of a mapping that accepts no unknown keys. `example` completes the sentence “expected …”. */
export const mapping = <Shape extends z.core.$ZodLooseShape>(example: string, shape: Shape) =>
  z.strictObject(shape, `expected ${example}`);

/** Returns an optional field with a default. The default is added to the end of the field's description. */
export const withDefault = <Field extends z.ZodType>(field: Field, value: z.input<Field>) => ({
  describe: (meaning: string) =>
    field.prefault(value as never).describe(`${meaning} Default: ${[value].flat().join(', ')}.`),
});

export const optionalField = <Field extends z.ZodType>(field: Field) => z.optional(field);

/** Returns an optional field whose value is `null` if the field is absent. */
export const orNull = <Field extends z.ZodType>(field: Field) =>
  field.optional().transform((value) => value ?? null);

/** Returns a schema of a mapping with a field `kind`, which distinguishes the mapping from mappings of other kinds. */
export const ofKind = <Kind extends string, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  meaning: string,
  shape: Shape,
) => z.strictObject({ kind: z.literal(kind).describe(meaning), ...shape });

/** Returns a schema of a mapping that has one of several kinds. */
export const oneOfKinds = <
  const Options extends readonly [z.core.$ZodTypeDiscriminable, ...z.core.$ZodTypeDiscriminable[]],
>(
  options: Options,
  example: string,
) =>
  z.discriminatedUnion('kind', options, {
    error: ({ code }: { readonly code?: string }) =>
      code === 'invalid_type'
        ? `expected a mapping with a "kind", for example ${example}`
        : undefined,
  });
