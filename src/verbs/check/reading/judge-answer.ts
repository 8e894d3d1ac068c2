import { chatDocument } from '../../../traffic/answer/chat-document.ts';
import {
  finishOfChoice,
  finishOfDocument,
  isFailingFinish,
} from '../../../traffic/answer/finish-reasons.ts';
import { objectOf } from '../../../traffic/answer/json-text.ts';
import { readChatError, looksLikeHtml } from '../../../traffic/answer/read-refusal.ts';
import type { CheckTopic } from '../model/check-choices.ts';
import type { CheckAnswer } from './check-answer.ts';
import {
  deviation,
  type Judged,
  pass,
  unchecked,
  violation,
  type Check,
  checksOf,
  type CheckTarget,
} from './check-case.ts';

/** Refusals with these statuses have nothing to do with the request itself. Each status has a description. */
const unrelated: Readonly<Record<number, string>> = {
  402: 'the credits of the key are used up (402)',
  429: 'the key was limited (429) after every wait',
};

/** Describes where a redirect leads. Redirects are never followed. */
const redirectText = (answer: CheckAnswer): string => {
  const place = answer.received.headers['location'];
  return place === undefined ? '' : `; it leads to ${answer.quote(place)} and was not followed`;
};

const asWritten = (text: string): string => text;

/**
 * Returns the finish reasons of all choices in a chat or a chunk. A choice without a reason gets the reason at the top
 * of the document.
 */
const finishesIn = (document: Readonly<Record<string, unknown>>): readonly (string | null)[] => {
  const { choices } = document;
  const rest = finishOfDocument(document);
  if (!Array.isArray(choices) || choices.length === 0) return [rest];
  return choices
    .map(objectOf)
    .filter((choice) => choice !== null)
    .map((choice) => finishOfChoice(choice, choice['delta'] ?? choice['message']) ?? rest);
};

/**
 * Returns why a chat or a chunk failed although its status is 200, by the same rules as `weir run`: the document
 * contains an error, or a finish reason that means failure. Returns `null` for any other document.
 */
export const failureInChat = (answer: CheckAnswer, json: unknown, where = ''): string | null => {
  const document = chatDocument(json);
  const error = readChatError(json, asWritten) ?? readChatError(document, asWritten);
  if (error !== null) return `an error${where}: ${answer.quote(error)}`;
  const finish = finishesIn(objectOf(document) ?? {}).find(
    (reason) => reason !== null && isFailingFinish(reason, answer.fails),
  );
  return finish === undefined || finish === null
    ? null
    : `the finish reason ${fieldText(answer, finish)}${where}`;
};

/** Says what a body with the status 200 is instead of an answer; `null` if the body may be an answer. */
const insteadOfAnswer = (answer: CheckAnswer): string | null =>
  looksLikeHtml(answer.text) ? 'an HTML page' : failureInChat(answer, answer.json);

/** Judges the answer to a valid request. The status must be 200, and the body must be what was requested. */
export const judgeAccepted = (answer: CheckAnswer): Judged => {
  const { status, failure } = answer.received;
  if (failure !== null) return violation(answer.summary);
  const why = unrelated[status ?? 0];
  if (why !== undefined) return unchecked(why);
  if (status !== 200) return violation(`${answer.summary}${redirectText(answer)}`);
  const instead = insteadOfAnswer(answer);
  return instead === null ? pass('status 200') : violation(`status 200 with ${instead}`);
};

/** Judges the answer to a valid request, whose body must be a JSON object. */
export const judgeAcceptedJson = (answer: CheckAnswer): Judged => {
  const accepted = judgeAccepted(answer);
  if (accepted.outcome !== 'pass') return accepted;
  return typeof answer.json === 'object' && answer.json !== null
    ? accepted
    : violation(`status 200 with a body of ${answer.received.body.length} bytes that is no JSON`);
};

export const judgeEncoding = ({ received: { encoding } }: CheckAnswer): Judged =>
  encoding === null ? pass('plain') : deviation('compressed', `the body is in ${encoding}`);

export const judgeContentType =
  (wanted: string) =>
  (answer: CheckAnswer): Judged =>
    answer.contentType === wanted
      ? pass(wanted)
      : violation(`Content-Type is ${answer.quote(answer.contentType) || 'missing'}`);

/** Returns a judge of a request that must be refused with one of these statuses. The first is the documented one. */
export const judgeRefused =
  (...statuses: readonly number[]) =>
  (answer: CheckAnswer): Judged => {
    const { status, failure } = answer.received;
    if (status === null) return violation(answer.summary);
    if (statuses.includes(status)) {
      return failure === null
        ? pass(`status ${status}`)
        : deviation('cut-refusal', `${answer.summary}: the refusal is cut off`);
    }
    if (status >= 200 && status < 300) return violation(`accepted with status ${status}`);
    const why = unrelated[status];
    if (why !== undefined) return unchecked(why);
    const observed = `${answer.summary}${redirectText(answer)}`;
    // FastAPI refuses invalid requests with 422, so this deviation is a known one.
    return status === 422 ? deviation('status-422', observed) : violation(observed);
  };

/** A value in a document, and its place, such as `choices[0].index`. */
interface Place {
  readonly path: string;
  readonly value: unknown;
}

const within = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;

const maxElements = 2000;

/** Returns all values at a path. `*` in a path means every element of an array. */
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

/** Returns the first value at a path; `undefined` if the path leads nowhere. */
export const valueAt = (document: unknown, path: string): unknown =>
  placesAt(document, path)[0]?.value;

/** Describes only the type of a value. */
export const kindText = (value: unknown): string => {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
};

/** Formats the value of a field that contains neither a prompt nor an answer. */
export const fieldText = (answer: CheckAnswer, value: unknown): string => {
  if (typeof value === 'string' && value !== '') return `"${answer.quote(value, 60)}"`;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : kindText(value);
};

interface FieldTest {
  readonly is: string;
  readonly test: (value: unknown, target: CheckTarget) => boolean;
}

/** The types and ranges that fields must have. */
export const field = {
  string: { is: 'a string', test: (value) => typeof value === 'string' },
  filledString: {
    is: 'a string that is not empty',
    test: (value) => typeof value === 'string' && value !== '',
  },
  integer: { is: 'an integer', test: Number.isSafeInteger },
  count: {
    is: 'an integer of at least 0',
    test: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  },
  number: { is: 'a number', test: Number.isFinite },
  array: { is: 'an array', test: Array.isArray },
  object: {
    is: 'an object',
    test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  },
  /** A Unix time in seconds. Milliseconds would lie far in the future, and fail. */
  timestamp: {
    is: 'an integer, a Unix time in seconds that is not in the future',
    test: (value, { now }) =>
      Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= now + 86_400,
  },
} as const satisfies Readonly<Record<string, FieldTest>>;

export const oneOf = (...values: readonly string[]): FieldTest => ({
  is: values.join(' or '),
  test: (value) => values.includes(value as string),
});

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

/** Creates a check for each field of a JSON answer. A check's id is the request's id and the field's name. */
export const fieldChecks = (
  topic: CheckTopic,
  request: string,
  fields: Readonly<Record<string, readonly [row: string, path: string, test: FieldTest]>>,
): readonly Check[] =>
  Object.entries(fields).map(([name, [row, path, test]]) =>
    checksOf(topic).checkOf(
      `${request}.${name}`,
      [row],
      `${path.replaceAll('.*', '[]')} is ${test.is}`,
      (answer, target) => judgeFields(answer, target, path, test),
    ),
  );
