import type { DroppedCause, Outcome } from '../model/observation/outcome.ts';
import type { Observation } from '../model/observation/observation.ts';
import type { Failure } from '../model/result/result.ts';
import { getOrCreate, byText, type Recorder } from './recorder.ts';

/** Masking reads at most this many characters of a text. */
const maxReadLength = 1000;
const maxMaskedLength = 200;

/** Matches the unit after a number. A number with a unit is a quantity and not a name. */
const unit = /(?<=\d)(?:[nuµm]?s|secs?|mins?|[mhdkx]|[kmgt]i?b|k?hz|tokens?)(?=\d|[-.@+,:]|$)/giu;

/**
 * Matches letters and digits, with characters such as `-` and `.` that join them. The match is a number, a quantity
 * (`12.5ms`, `6m0s`), a word, or a name (`gpt-4o`, `Emily2.wav`).
 */
const token = /[\p{L}\p{N}_]+(?:(?:[-.@+]|(?<=\d)[,:](?=\d))[\p{L}\p{N}_]+)*/gu;

/** Masks numbers and quantities. Names stay unchanged, because names distinguish models and voices. */
const withoutNumbers = (part: string): string =>
  /[\p{L}_]/u.test(part.replace(unit, '')) ? part : part.replace(/\d+(?:[.,:]\d+)*/g, number);

const id = (): string => '<id>';
const time = (): string => '<time>';
const number = (): string => '#';
const blank = (): string => ' ';

/**
 * The masks, from the most specific to the least specific mask. Each mask takes time in proportion to the length of the
 * text.
 */
const masks: readonly (readonly [RegExp, (part: string) => string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, id],
  [
    /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?/g,
    time,
  ],
  [/\d{2}:\d{2}:\d{2}(?:[.,]\d+)?/g, time],
  [/(?<![0-9a-z])0x[0-9a-f]+(?![0-9a-z])/gi, id],
  [/(?<![0-9a-z])(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?![0-9a-z])/gi, id],
  // Matches ten or more consecutive letters and digits, with at least one letter and one digit. A word has no digit,
  // and the name of a model has shorter sequences.
  [/(?<![0-9a-z])(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{10,}/gi, id],
  [/\d{10,}/g, number],
  [token, withoutNumbers],
  [/\s+/g, blank],
];

/**
 * Returns the start of a masked text. If the cut leaves an incomplete name with a digit at the end, the name is
 * removed, because the start of a name could look like a number: `4` of `4o`.
 */
const startOf = (masked: string): string =>
  masked.length <= maxMaskedLength
    ? masked
    : masked
        .slice(0, maxMaskedLength)
        .replace(/[\p{L}\p{N}_.@+,:-]*$/u, (part) => (/\d/.test(part) ? '' : part));

/**
 * The messages that were already masked. After a limit is reached, the same message comes thousands of times, and
 * masking it takes about 10 µs.
 */
const knownMasks = new Map<string, string>();
const maxKnownMasks = 256;

/**
 * Masks the parts of a message that differ from request to request (numbers, ids, hexadecimal, times), and shortens the
 * message. Similar failures therefore have equal messages. Names keep their digits.
 */
export const maskedMessage = (text: string): string => {
  const start = text.slice(0, maxReadLength);
  const known = knownMasks.get(start);
  if (known !== undefined) return known;
  const masked = masks
    .reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), start)
    .trimStart();
  const kept = startOf(masked).trimEnd().toWellFormed();
  if (knownMasks.size >= maxKnownMasks) knownMasks.clear();
  knownMasks.set(start, kept);
  return kept;
};

/**
 * The rows of one traffic kind and outcome. The outer key is the family (status and cause), and the inner key is the
 * masked message.
 */
type Families = Map<string, Map<string, Failure>>;
export type Failures = Map<string, Families>;

/**
 * The maximum number of messages of a family. A server can send a new message or code with every failure, so all
 * further messages share one row. The messages with separate rows are the first in text order, not the most frequent.
 * Parts of a run therefore have the same messages as the whole run, and merged counts are exact.
 */
const maxMessages = 20;
/** The maximum number of families of a traffic kind and outcome. All further families share one row. */
const maxFamilies = 30;
const otherMessages = 'other messages';
const otherCauses = 'other causes';

const maxExampleLength = 300;

const dropReasons = {
  saturated: 'the cap on requests in flight was reached',
  patience: 'its total deadline passed before its turn under the pace',
  'run-ended': 'the run, or its budget, ended before the request was sent',
} satisfies Record<DroppedCause, string>;

/**
 * Returns the cause that an error code names. A number of up to five digits is itself a cause (`429`, `1015`). A longer
 * number differs between requests and is masked.
 */
const causeOf = (code: string): string => (/^\d{1,5}$/.test(code) ? code : maskedMessage(code));

/** Describes a failed outcome; returns `null` for a completed outcome, and for a hang-up, which is not a failure. */
export const describeFailure = (
  outcome: Outcome,
): (Pick<Failure, 'outcome' | 'status' | 'cause'> & { readonly text: string }) | null => {
  switch (outcome.kind) {
    case 'completed':
    case 'cancelled':
      return null;
    case 'limited':
    case 'refused': {
      const { status, code, type, form, message } = outcome.refusal;
      const cause = causeOf(code ?? type ?? form);
      return { outcome: outcome.kind, status, cause, text: message };
    }
    case 'malformed':
      return { outcome: outcome.kind, status: null, cause: outcome.issue, text: outcome.detail };
    case 'broken':
      return { outcome: outcome.kind, status: null, cause: outcome.cause, text: outcome.detail };
    case 'dropped': {
      const { kind, cause } = outcome;
      return { outcome: kind, status: null, cause, text: dropReasons[cause] };
    }
  }
};

const failureOf = ({ outcome, traffic, ended, requestId, head }: Observation): Failure | null => {
  const description = describeFailure(outcome);
  if (description === null) return null;
  const { text, ...kind } = description;
  return {
    traffic,
    ...kind,
    message: maskedMessage(text),
    sameText: true,
    count: 1,
    first: ended,
    last: ended,
    example: {
      requestId,
      serverId: head?.serverId ?? null,
      text: text.slice(0, maxExampleLength).toWellFormed(),
    },
  };
};

const inTime = (a: Failure, b: Failure): number =>
  a.first - b.first || byText(JSON.stringify(a.example), JSON.stringify(b.example));

/** Merges two rows into a row with the message of the first row. The example is the example of the earlier failure. */
const mergeRows = (a: Failure, b: Failure): Failure => {
  const earlier = inTime(a, b) <= 0 ? a : b;
  return {
    ...a,
    sameText: a.sameText && b.sameText && a.example.text === b.example.text,
    count: a.count + b.count,
    first: earlier.first,
    last: a.last > b.last ? a.last : b.last,
    example: earlier.example,
  };
};

const kindOf = ({ traffic, outcome }: Failure): string => `${traffic} ${outcome}`;
const familyOf = ({ status, cause }: Failure): string => `${status ?? ''} ${cause}`;

/**
 * Returns the last key in text order if the number of keys exceeds `kept`; otherwise `null`. The key `never` does not
 * count and is never returned.
 */
const excessKey = (keys: readonly string[], never: string, kept: number): string | null => {
  const others = keys.filter((key) => key !== never);
  return others.length <= kept ? null : others.reduce((a, b) => (byText(a, b) > 0 ? a : b));
};

/**
 * Adds a row. If the number of messages or families then exceeds its maximum, the last message or family in text order
 * moves into the shared row.
 */
const addRow = (failures: Failures, row: Failure): void => {
  const families = getOrCreate(failures, kindOf(row), (): Families => new Map());
  const family = getOrCreate(families, familyOf(row), () => new Map<string, Failure>());
  const known = family.get(row.message);
  family.set(row.message, known === undefined ? row : mergeRows(known, row));
  if (known !== undefined) return;
  const message = excessKey([...family.keys()], otherMessages, maxMessages);
  if (message !== null) {
    const moved = family.get(message)!;
    family.delete(message);
    addRow(failures, { ...moved, message: otherMessages });
  }
  const rest = { status: null, cause: otherCauses, message: otherMessages };
  const last = excessKey([...families.keys()], familyOf({ ...row, ...rest }), maxFamilies);
  if (last === null) return;
  const moved = [...families.get(last)!.values()];
  families.delete(last);
  for (const each of moved) addRow(failures, { ...each, ...rest });
};

const rowsOf = (failures: Failures): readonly Failure[] =>
  [...failures.values()]
    .flatMap((families) => [...families.values()])
    .flatMap((family) => [...family.values()]);

const addRows = (into: Failures, rows: readonly Failure[]): Failures => {
  for (const row of rows) addRow(into, row);
  return into;
};

const byFrequency = (a: Failure, b: Failure): number =>
  b.count - a.count ||
  byText(kindOf(a), kindOf(b)) ||
  byText(familyOf(a), familyOf(b)) ||
  byText(a.message, b.message);

/** Counts similar failures in one row, and stores the most frequent row first. */
export const failureRecorder: Recorder<Failures, Failure> = {
  record: (failures, observation) => {
    const row = failureOf(observation);
    if (row !== null) addRow(failures, row);
  },
  add: (into, from) => void addRows(into, rowsOf(from)),
  store: (failures) => rowsOf(failures).toSorted(byFrequency),
  restore: (rows) => addRows(new Map(), rows),
  split: (failures) => [{ state: failures, stored: rowsOf(failures) }],
};
