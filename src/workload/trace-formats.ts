import type { TraceFormat } from '../model/workload/trace.ts';

/** A time as whole seconds since the epoch of its format, and ticks of 100 ns within the second. */
export interface TraceTime {
  readonly seconds: number;
  readonly ticks: number;
}

/** A recorded request. */
export interface TraceRow {
  readonly at: TraceTime;
  readonly input: number;
  readonly output: number;
  readonly blocks: readonly number[];
}

/** Reads a line after the first, or returns what was expected. */
export type RowReader = (line: string) => TraceRow | string;

/** Recognises a format by its first line, and reads its rows. */
interface TraceFormatReader {
  /** Returns the reader of rows; `null` if the first line is of another format. */
  readonly reader: (firstLine: string) => RowReader | null;
  /** Whether the first line is itself a row. */
  readonly headerless: boolean;
}

export const ticksPerSecond = 10_000_000;

const ticksOf = (fraction: string): number => Number(fraction.slice(0, 7).padEnd(7, '0'));

const timestamp =
  /^(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):?(\d\d))?$/;

/**
 * Parses a time such as `2023-11-16 18:15:46.6805900`, in the trace of 2024 with `+00:00` at the end. The fraction may
 * be missing.
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

/** Parses seconds as a decimal number such as `19440110.0`. */
const decimalSeconds = (text: string): TraceTime | null => {
  const [, seconds, fraction = ''] = /^(\d{1,15})(?:\.(\d*))?$/.exec(text) ?? [];
  return seconds === undefined ? null : { seconds: Number(seconds), ticks: ticksOf(fraction) };
};

/** Parses a whole number of tokens, also with a fraction of zero, as spreadsheets write it. */
const countOf = (text: string): number | null =>
  /^\d{1,9}(?:\.0*)?$/.test(text) ? Number(text) : null;

interface Columns {
  readonly time: string;
  readonly input: string;
  readonly output: string;
  readonly read: (text: string) => TraceTime | null;
  readonly example: string;
}

/**
 * Reads a table by the names of its columns, because releases of a trace differ in the others. None has quoted cells.
 */
const table = ({ time, input, output, read, example }: Columns): TraceFormatReader => ({
  headerless: false,
  reader: (firstLine) => {
    const header = firstLine.split(',').map((name) => name.trim());
    const places = [time, input, output].map((name) => header.indexOf(name));
    if (places.includes(-1)) return null;
    return (line) => {
      const cells = line.split(',');
      const [when = '', into = '', out = ''] = places.map((place) => cells[place]?.trim());
      const [at, asked, answered] = [read(when), countOf(into), countOf(out)];
      if (at === null) return `expected a "${time}" such as ${example}`;
      if (asked === null) return `expected a whole number of tokens as "${input}"`;
      if (answered === null) return `expected a whole number of tokens as "${output}"`;
      return { at, input: asked, output: answered, blocks: [] };
    };
  },
});

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;

const fieldsOf = (line: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
};

const mooncakeRow: RowReader = (line) => {
  const fields = fieldsOf(line);
  if (fields === null) return 'expected a JSON object';
  const { timestamp: at, input_length: input, output_length: output, hash_ids: ids = [] } = fields;
  if (typeof at !== 'number' || at < 0) return 'expected a "timestamp" in milliseconds';
  if (!isCount(input)) return 'expected a whole number of tokens as "input_length"';
  if (!isCount(output)) return 'expected a whole number of tokens as "output_length"';
  if (!Array.isArray(ids) || !ids.every(isCount)) {
    return 'expected a list of whole numbers as "hash_ids"';
  }
  const ticks = Math.round(at * (ticksPerSecond / 1000));
  const seconds = Math.floor(ticks / ticksPerSecond);
  return { at: { seconds, ticks: ticks - seconds * ticksPerSecond }, input, output, blocks: ids };
};

export const traceFormatReaders = {
  mooncake: {
    headerless: true,
    reader: (firstLine) => {
      const fields = fieldsOf(firstLine) ?? {};
      return 'timestamp' in fields && 'input_length' in fields ? mooncakeRow : null;
    },
  },
  azure: table({
    time: 'TIMESTAMP',
    input: 'ContextTokens',
    output: 'GeneratedTokens',
    read: dateTime,
    example: '2023-11-16 18:15:46.6805900',
  }),
  burstgpt: table({
    time: 'Timestamp',
    input: 'Request tokens',
    output: 'Response tokens',
    read: decimalSeconds,
    example: '45.0, in seconds',
  }),
} as const satisfies Record<TraceFormat, TraceFormatReader>;
