import { parsedJson } from '../model/parsed-json.ts';
import { type TraceFormat, type TraceUnit, unitNames } from '../model/workload/trace.ts';

/** A time as a number of whole seconds, and a number of ticks of 100 ns within the second. */
export interface TraceTime {
  readonly seconds: number;
  readonly ticks: number;
}

export const ticksPerSecond = 10_000_000;
const tickDigits = 7;

/** For each unit, the number of decimal places by which digits are shifted to get seconds. */
const decimalsOf = { s: 0, ms: 3, us: 6, ns: 9 } as const satisfies Record<TraceUnit, number>;

const decimalPattern = /^(\d{1,25})(?:\.(\d*))?$/;

/**
 * Parses a decimal number in a unit; `null` if the text is not such a number. Shifts the digits instead of dividing,
 * because a time in nanoseconds since 1970 has more digits than a JavaScript number can represent.
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

/**
 * For each unit, the smallest number that is a time since 1970. A number from this value to below four times this value
 * is a time from 2001 to 2096, so the size of the number shows the unit.
 */
const epochs: readonly (readonly [TraceUnit, number])[] = [
  ['s', 1e9],
  ['ms', 1e12],
  ['us', 1e15],
  ['ns', 1e18],
];

/**
 * Times with a fraction are taken for seconds if their mean gap is then at most this many seconds. Otherwise, they are
 * ms.
 */
const longestMeanGap = 60;

/**
 * Returns the unit of times that are numbers. The size of a time since 1970 shows its unit. Other whole numbers are
 * milliseconds, as in Mooncake's traces. Other numbers with a fraction (`0.0`) are seconds, as in the files of GuideLLM
 * and AIPerf.
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
  /** The names of the fields that have a value and are not replayed. */
  readonly unread: readonly string[];
}

export type RowReader = (line: string) => TraceRow | string;

/** A trace whose format was recognised from its first lines. */
export interface RecognisedTrace {
  readonly format: TraceFormat;
  /** The unit of the trace's times; `null` if the times are dates. */
  readonly unit: TraceUnit | null;
  readonly blockTokens: number;
  readonly read: RowReader;
  readonly headerless: boolean;
}

/**
 * Recognises a format from the first lines of a file; returns `null` if the file has another format. `unit` is the time
 * unit that the scenario gives for the trace; `undefined` if the scenario gives none.
 */
type Recogniser = (lines: readonly string[], unit: TraceUnit | undefined) => RecognisedTrace | null;

/**
 * The number of tokens in a block of Mooncake's traces (https://arxiv.org/pdf/2407.00079, section 4). GuideLLM has the
 * same default.
 */
const mooncakeBlock = 512;

const ticksOf = (fraction: string): number => Number(fraction.slice(0, 7).padEnd(7, '0'));

const timestamp =
  /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/**
 * Parses a time such as `2023-11-16 18:15:46.6805900`; returns `null` for any other text. The fraction and the time
 * zone may be missing.
 */
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

/** Parses a whole number of tokens. A fraction of zero is allowed, because spreadsheets write such fractions. */
const countOf = (text: string): number | null =>
  /^\d{1,9}(?:\.0*)?$/.test(text) ? Number(text) : null;

interface Columns {
  readonly format: TraceFormat;
  readonly time: string;
  readonly input: string;
  readonly output: string;
  /** The unit of times in this format; `null` if the times are dates. */
  readonly unit: TraceUnit | null;
  readonly example: string;
}

/** Returns the cells of a line of a table. A separator within quotes does not separate cells. */
const cellsIn = (line: string, mark: string): readonly string[] => {
  const parts = line.split(mark);
  if (!line.includes('"')) return parts;
  const cells: string[] = [];
  let quoted: string[] = [];
  for (const part of parts) {
    const hasOddQuotes = part.split('"').length % 2 === 0;
    if (quoted.length === 0 && !hasOddQuotes) cells.push(part);
    else if (quoted.push(part) > 1 && hasOddQuotes) {
      cells.push(quoted.join(mark));
      quoted = [];
    }
  }
  return [...cells, ...quoted].map((cell) => cell.trim().replace(/^"(.*)"$/, '$1'));
};

/** These columns are sums of other columns, so nothing is lost without them. */
const sums = ['total tokens'];

/** Returns the names of the columns that are not replayed, with their indexes. */
const namesOfUnread = (
  header: string,
  mark: string,
  read: readonly number[],
): readonly (readonly [name: string, place: number])[] =>
  cellsIn(header, mark).flatMap((written, place) => {
    const name = written.trim();
    const isRead = read.includes(place) || name === '' || sums.includes(name.toLowerCase());
    return isRead ? [] : [[name, place] as const];
  });

/**
 * Returns whether a value contains information. An absent value, an empty text or list, 0, and −1 (which means none)
 * contain no information.
 */
const isFilled = (value: unknown): boolean => {
  if (typeof value === 'string') return value.trim() !== '' && isFilled(Number(value));
  if (Array.isArray(value)) return value.length > 0;
  return ![undefined, null, 0, -1, false].includes(value as null);
};

/**
 * Returns a function that reads a table by the names of its columns, because their order differs between releases of a
 * trace. Spreadsheets quote cells, and some separate them by semicolons or tabs.
 */
const table =
  ({ format, time, input, output, unit: usual, example }: Columns): Recogniser =>
  ([firstLine = ''], given) => {
    const mark = [',', ';', '\t'].find((each) => firstLine.includes(each)) ?? ',';
    const header = cellsIn(firstLine, mark).map((name) => name.trim().toLowerCase());
    const places = [time, input, output].map((name) => header.indexOf(name.toLowerCase()));
    if (places.includes(-1)) return null;
    const unit = usual === null ? null : (given ?? usual);
    const others = namesOfUnread(firstLine, mark, places);
    const read: RowReader = (line) => {
      const cells = cellsIn(line, mark);
      const [when = '', into = '', out = ''] = places.map((place) => cells[place]?.trim());
      const at = unit === null ? dateTime(when) : timeIn(unit, when);
      const [asked, answered] = [countOf(into), countOf(out)];
      if (at === null) return `expected a "${time}" such as ${example}`;
      if (asked === null) return `expected a whole number of tokens as "${input}"`;
      if (answered === null) return `expected a whole number of tokens as "${output}"`;
      const unread = others.flatMap(([name, place]) => (isFilled(cells[place]) ? [name] : []));
      return { at, input: asked, output: answered, blocks: [], unread };
    };
    return { format, unit, blockTokens: mooncakeBlock, read, headerless: false };
  };

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (line: string): Fields | null => {
  const value = parsedJson(line);
  return typeof value === 'object' && value !== null ? (value as Fields) : null;
};

/**
 * Matches a time in the text of a line. JSON.parse would lose a fraction of zero, and the last digits of a number with
 * 19 digits.
 */
const writtenTime = /"timestamp"\s*:\s*"?(\d+(?:\.\d*)?)"?\s*[,}]/;

/** Returns a time as decimal digits; `null` if the time is negative or not a number. */
const timeText = (line: string, { timestamp: at }: Fields): string | null => {
  const written = writtenTime.exec(line)?.[1];
  if (written !== undefined && Number(written) === Number(at)) return written;
  return typeof at === 'number' && at >= 0 ? at.toFixed(9) : null;
};

const replayed: readonly string[] = ['timestamp', 'input_length', 'output_length', 'hash_ids'];

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
    const unread = Object.keys(fields).filter(
      (name) => !replayed.includes(name) && isFilled(fields[name]),
    );
    return { at, input, output, blocks: ids, unread };
  };

/** The block sizes, in tokens, of published traces and of tools that write traces. */
const blockSizes = [mooncakeBlock, 16, 32, 64, 128, 256, 1024] as const;

/**
 * Returns the first of `blockSizes` that fits the number of blocks in each row. If no block size fits, returns the
 * block size of Mooncake.
 */
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
 * Recognises JSON lines with the field names of Mooncake. The traces of Qwen-Bailian have the same field names, but
 * also contain chats, times in seconds, and blocks of 16 tokens
 * (https://github.com/alibaba-edu/qwen-bailian-usagetraces-anon).
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

/** A trace's format, unit and block size are recognised from this many first lines. */
export const recognisedLines = 200;

/**
 * Recognises the format of a trace from its first lines. There must be at least one line. Returns `null` if the format
 * is unknown.
 */
export const recogniseTrace: Recogniser = (lines, unit) => {
  for (const recognise of recognisers) {
    const found = recognise(lines, unit);
    if (found !== null) return found;
  }
  return null;
};
