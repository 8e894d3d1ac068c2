import { type TraceFormat, type TraceUnit, unitNames } from '../model/workload/trace.ts';

/** Whole seconds, and ticks of 100 ns within the second. */
export interface TraceTime {
  readonly seconds: number;
  readonly ticks: number;
}

export const ticksPerSecond = 10_000_000;
const tickDigits = 7;

/** The number of decimals by which each unit must be shifted to get seconds. */
const decimalsOf = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<TraceUnit, number>;

const decimalPattern = /^(\d{1,25})(?:\.(\d*))?$/;

/**
 * Parses a decimal number in a unit; `null` if it is not one. Digits are moved instead of divided: the nanoseconds
 * of today have more than a double holds.
 */
const timeIn = (unit: TraceUnit, text: string): TraceTime | null => {
  const [, whole, fraction = ''] = decimalPattern.exec(text) ?? [];
  if (whole === undefined) return null;
  const moved = decimalsOf[unit];
  const padded = whole.padStart(moved + 1, '0');
  const seconds = Number(padded.slice(0, padded.length - moved));
  const rest = `${padded.slice(padded.length - moved)}${fraction}`.padEnd(tickDigits + 1, '0');
  const ticks = Number(rest.slice(0, tickDigits)) + (rest.charAt(tickDigits) >= '5' ? 1 : 0);
  return seconds > Number.MAX_SAFE_INTEGER ? null : { seconds, ticks };
};

/** The times since 1970 between 2001 and 2096, whose magnitude shows their unit. */
const epochs: readonly (readonly [TraceUnit, number])[] = [
  ['s', 1e9],
  ['ms', 1e12],
  ['us', 1e15],
  ['ns', 1e18],
];

/** The mean gap between requests, in s, above which numbers with a fraction are not in seconds. */
const longestMeanGap = 60;

/**
 * Returns the unit of numbers. Times since 1970 show it by their magnitude. Otherwise whole numbers are
 * milliseconds, as Mooncake's, and fractions (`0.0`) are seconds, as GuideLLM and AIPerf write them.
 */
const unitOfTimes = (times: readonly string[]): TraceUnit => {
  const numbers = times.map(Number);
  const [first = 0, last = first] = [numbers[0], numbers.at(-1)];
  const epoch = epochs.find(([, from]) => first >= from && first < 4 * from);
  if (epoch !== undefined) return epoch[0];
  const meanGap = Math.abs(last - first) / Math.max(1, numbers.length - 1);
  const hasFractions = times.some((text) => text.includes('.'));
  return hasFractions && meanGap <= longestMeanGap ? 's' : 'ms';
};

export interface TraceRow {
  readonly at: TraceTime;
  readonly input: number;
  readonly output: number;
  readonly blocks: readonly number[];
}

export type RowReader = (line: string) => TraceRow | string;

/** A trace whose format is known by its first lines. */
export interface RecognisedTrace {
  readonly format: TraceFormat;
  /** The unit of its times; `null` if they are dates. */
  readonly unit: TraceUnit | null;
  readonly blockTokens: number;
  readonly read: RowReader;
  readonly headerless: boolean;
}

/** Recognises a format by the first lines of a file; `null` for another. The scenario can give the unit of times. */
type Recogniser = (lines: readonly string[], unit: TraceUnit | undefined) => RecognisedTrace | null;

/** The block size of Mooncake (https://arxiv.org/pdf/2407.00079, section 4), also GuideLLM's default. */
const mooncakeBlock = 512;

const ticksOf = (fraction: string): number => Number(fraction.slice(0, 7).padEnd(7, '0'));

const timestamp =
  /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/** Parses a time such as `2023-11-16 18:15:46.6805900`, with or without a fraction and a time zone. */
const dateTime = (text: string): TraceTime | null => {
  const found = timestamp.exec(text);
  if (found === null) return null;
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map(Number) as [
    ...[number, number, number, number, number, number],
  ];
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 59) {
    return null;
  }
  const [, , , , , , , fraction = '', sign, ahead = '0', further = '0'] = found;
  const offset = (sign === '-' ? -1 : 1) * (Number(ahead) * 60 + Number(further)) * 60;
  const seconds = Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - offset;
  return { seconds, ticks: ticksOf(fraction) };
};

/** Parses a whole number of tokens, also with a fraction of zero, as spreadsheets write it. */
const countOf = (text: string): number | null =>
  /^\d{1,9}(?:\.0*)?$/.test(text) ? Number(text) : null;

interface Columns {
  readonly format: TraceFormat;
  readonly time: string;
  readonly input: string;
  readonly output: string;
  /** The unit of times by the format; `null` if they are dates. */
  readonly unit: TraceUnit | null;
  readonly example: string;
}

/**
 * Reads a table by the names of its columns, since releases of a trace differ in their other columns. No cell is
 * quoted.
 */
const table =
  ({ format, time, input, output, unit: usual, example }: Columns): Recogniser =>
  ([firstLine = ''], given) => {
    const header = firstLine.split(',').map((name) => name.trim());
    const places = [time, input, output].map((name) => header.indexOf(name));
    if (places.includes(-1)) return null;
    const unit = usual === null ? null : (given ?? usual);
    const read: RowReader = (line) => {
      const cells = line.split(',');
      const [when = '', into = '', out = ''] = places.map((place) => cells[place]?.trim());
      const at = unit === null ? dateTime(when) : timeIn(unit, when);
      const [asked, answered] = [countOf(into), countOf(out)];
      if (at === null) return `expected a "${time}" such as ${example}`;
      if (asked === null) return `expected a whole number of tokens as "${input}"`;
      if (answered === null) return `expected a whole number of tokens as "${output}"`;
      return { at, input: asked, output: answered, blocks: [] };
    };
    return { format, unit, blockTokens: mooncakeBlock, read, headerless: false };
  };

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (line: string): Fields | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Fields) : null;
  } catch {
    return null;
  }
};

/** Matches a time as it is written, since a parsed number keeps neither a fraction of zero nor 19 digits. */
const writtenTime = /"timestamp"\s*:\s*"?(\d+(?:\.\d*)?)"?\s*[,}]/;

/** Returns a time as decimal digits; `null` if it is not a number from 0. */
const timeText = (line: string, { timestamp: at }: Fields): string | null => {
  const written = writtenTime.exec(line)?.[1];
  if (written !== undefined && Number(written) === Number(at)) return written;
  return typeof at === 'number' && at >= 0 ? at.toFixed(9) : null;
};

const jsonRow =
  (unit: TraceUnit): RowReader =>
  (line) => {
    const fields = fieldsOf(line);
    if (fields === null) return 'expected a JSON object';
    const { input_length: input, output_length: output, hash_ids: given } = fields;
    const at = timeIn(unit, timeText(line, fields) ?? '');
    const ids = given ?? [];
    if (at === null) return `expected a "timestamp" in ${unitNames[unit]}`;
    if (!isCount(input)) return 'expected a whole number of tokens as "input_length"';
    if (!isCount(output)) return 'expected a whole number of tokens as "output_length"';
    if (!Array.isArray(ids) || !ids.every(isCount)) {
      return 'expected a list of whole numbers as "hash_ids"';
    }
    return { at, input, output, blocks: ids };
  };

/** The block sizes of published traces and of the tools that write them. */
const blockSizes = [mooncakeBlock, 16, 32, 64, 128, 256, 1024] as const;

/** Returns the first block size that explains the numbers of blocks; Mooncake’s if none does. */
const blockTokensOf = (rows: readonly (Fields | null)[]): number => {
  const fits = (size: number): boolean =>
    rows.every((row) => {
      const [input, ids] = [row?.['input_length'], row?.['hash_ids']];
      if (!isCount(input) || !Array.isArray(ids) || ids.length === 0) return true;
      return Math.ceil(input / size) === ids.length;
    });
  return blockSizes.find(fits) ?? mooncakeBlock;
};

/**
 * Recognises JSON lines with the field names of Mooncake. Qwen-Bailian's have chats, seconds, and blocks of 16
 * tokens (https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon).
 */
const jsonLines: Recogniser = (lines, given) => {
  const [first] = lines;
  const fields = first === undefined ? null : fieldsOf(first);
  if (fields === null || !('timestamp' in fields && 'input_length' in fields)) return null;
  const rows = lines.map(fieldsOf);
  const of = (format: TraceFormat, unit: TraceUnit, blockTokens: number): RecognisedTrace => ({
    format,
    unit: given ?? unit,
    blockTokens,
    read: jsonRow(given ?? unit),
    headerless: true,
  });
  if ('chat_id' in fields || 'parent_chat_id' in fields) return of('bailian', 's', 16);
  const times = lines.flatMap((line, i) => timeText(line, rows[i] ?? {}) ?? []);
  const unit = unitOfTimes(times);
  return of(unit === 's' ? 'guidellm' : 'mooncake', unit, blockTokensOf(rows));
};

const recognisers: readonly Recogniser[] = [
  jsonLines,
  table({
    format: 'azure',
    time: 'TIMESTAMP',
    input: 'ContextTokens',
    output: 'GeneratedTokens',
    unit: null,
    example: '2023-11-16 18:15:46.6805900',
  }),
  table({
    format: 'burstgpt',
    time: 'Timestamp',
    input: 'Request tokens',
    output: 'Response tokens',
    unit: 's',
    example: '45.0, in seconds',
  }),
];

/** The number of first lines that show a format, its unit and its block size. */
export const recognisedLines = 200;

/** Recognises a trace by its first lines, which must not be empty; `null` if its format is unknown. */
export const recogniseTrace: Recogniser = (lines, unit) => {
  for (const recognise of recognisers) {
    const found = recognise(lines, unit);
    if (found !== null) return found;
  }
  return null;
};
