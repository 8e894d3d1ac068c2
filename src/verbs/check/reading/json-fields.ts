import type { CheckAnswer } from './check-answer.ts';
import {
  type Check,
  checkOf,
  type CheckTarget,
  type Judged,
  pass,
  violation,
} from './check-case.ts';

/** A value of a document with its place, such as `choices[0].index`. */
interface Place {
  readonly path: string;
  readonly value: unknown;
}

const within = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

/** More elements of a list than anyone reads are not looked at. */
const maxElements = 2000;

/** All values at a path, in which `*` stands for every element of an array. */
export const placesAt = (document: unknown, path: string): readonly Place[] =>
  path.split('.').reduce<readonly Place[]>(
    (places, key) =>
      places.flatMap(({ path: at, value }) => {
        if (key !== '*') {
          return [{ path: at === '' ? key : `${at}.${key}`, value: within(value, key) }];
        }
        const elements: readonly unknown[] = Array.isArray(value) ? value : [];
        return elements
          .slice(0, maxElements)
          .map((element, index) => ({ path: `${at}[${index}]`, value: element }));
      }),
    [{ path: '', value: document }],
  );

/** What a value is, without its content. */
export const kindText = (value: unknown): string => {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** A value of a field that has neither prompts nor answers. */
export const fieldText = (answer: CheckAnswer, value: unknown): string => {
  if (typeof value === 'string' && value !== '') return `"${answer.quote(value, 60)}"`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindText(value);
};

export interface FieldTest {
  /** What the value has to be. */
  readonly is: string;
  readonly test: (value: unknown, target: CheckTarget) => boolean;
}

export const aString: FieldTest = { is: 'a string', test: (value) => typeof value === 'string' };
export const aFilledString: FieldTest = {
  is: 'a string that is not empty',
  test: (value) => typeof value === 'string' && value !== '',
};
export const anInteger: FieldTest = { is: 'an integer', test: Number.isSafeInteger };
export const aCount: FieldTest = {
  is: 'an integer of at least 0',
  test: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
};
export const aNumber: FieldTest = { is: 'a number', test: Number.isFinite };
export const anArray: FieldTest = { is: 'an array', test: Array.isArray };
export const anObject: FieldTest = {
  is: 'an object',
  test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};
export const oneOf = (...values: readonly string[]): FieldTest => ({
  is: values.join(' or '),
  test: (value) => values.includes(value as string),
});
/** Seconds: milliseconds would be in a far future. */
export const aTimestamp: FieldTest = {
  is: 'an integer, a Unix time in seconds that is not in the future',
  test: (value, { now }) =>
    Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= now + 86_400,
};

/** Judges all values at a path; one that is absent is wrong, too. */
export const judgeFields = (
  answer: CheckAnswer,
  target: CheckTarget,
  path: string,
  { is, test }: FieldTest,
): Judged => {
  const places = placesAt(answer.json, path);
  if (places.length === 0) return violation(`there is no ${path}`);
  const wrong = places.filter(({ value }) => !test(value, target));
  const [first] = wrong;
  if (first === undefined) return pass(places.length === 1 ? is : `${places.length} × ${is}`);
  const more = wrong.length === 1 ? '' : `, and ${wrong.length - 1} more of ${places.length}`;
  return violation(`${first.path} is ${fieldText(answer, first.value)}${more}`);
};

type FieldNames = Pick<Check, 'topic' | 'rows'> & { readonly request: string };

/** A check for each field of a JSON answer; its id is that of the request and the field. */
export const fieldChecks = (
  names: Pick<FieldNames, 'topic' | 'request'>,
  fields: Readonly<
    Record<string, { readonly row: string; readonly path: string } & Pick<FieldTest, 'is' | 'test'>>
  >,
): readonly Check[] =>
  Object.entries(fields).map(([name, { row, path, is, test }]) =>
    checkOf(
      {
        id: `${names.request}.${name}`,
        topic: names.topic,
        rows: [row],
        request: names.request,
        expected: `${path.replaceAll('.*', '[]')} is ${is}`,
      },
      (answer, target) => judgeFields(answer, target, path, { is, test }),
    ),
  );
