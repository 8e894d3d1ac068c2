import { type Message, messageSchema } from '../model/workload/traffic.ts';
import { maxTokenCount } from '../model/workload/token-count.ts';

/** One prompt of a file, and the file's limit for the tokens of its answer. */
export interface DatasetEntry {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
}

/** The entries of a text, or a problem that begins with its line. */
type Parser = (text: string) => readonly DatasetEntry[] | string;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const user = (content: string): readonly Message[] => [{ role: 'user', content }];

const mappingOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isTokenCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maxTokenCount;

const entryFrom = (messages: readonly Message[], most: unknown): DatasetEntry | string => {
  if (most === undefined || most === null) return { messages, maxTokens: null };
  return isTokenCount(most)
    ? { messages, maxTokens: most }
    : 'expected a whole number from 1 as "max_tokens"';
};

const jsonEntry = (value: unknown): DatasetEntry | string => {
  const fields = mappingOf(value);
  if (fields === null) return 'expected a JSON object with "prompt" or "messages"';
  const { prompt, messages, max_tokens: most } = fields;
  if (messages === undefined) {
    return isText(prompt)
      ? entryFrom(user(prompt), most)
      : 'expected text as "prompt", or a list of "messages"';
  }
  if (prompt !== undefined) return 'expected either "prompt" or "messages", got both';
  const said = messageSchema.array().min(1).safeParse(messages);
  return said.success
    ? entryFrom(said.data, most)
    : 'expected "messages" as a list of {"role": "system", "user" or "assistant", "content": text}';
};

const jsonLines: Parser = (text) => {
  const entries: DatasetEntry[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const entry = jsonEntry(parsed(line));
    if (typeof entry === 'string') return `${index + 1}: ${entry}`;
    entries.push(entry);
  }
  return entries;
};

/** One record of a table and the line on which it begins, from 1. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** A cell of RFC 4180: quoted (with doubled quotes inside) or plain, and what ends it. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

const linesIn = (text: string): number => text.split('\n').length - 1;

/**
 * The records of a comma-separated table (RFC 4180) without empty lines, or a text that begins with the
 * line of a wrong or open quote.
 */
export const parseCsv = (text: string): readonly CsvRecord[] | string => {
  const cell = new RegExp(cellPattern);
  const records: CsvRecord[] = [];
  let line = 1;
  let begun = 1;
  let cells: string[] = [];
  while (cell.lastIndex < text.length || cells.length > 0) {
    const found = cell.exec(text);
    if (found === null) {
      return `${line}: expected a cell with closed quotes (double the quotes inside it), or one without quotes`;
    }
    const [whole, quoted, plain = '', end] = found;
    cells.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += linesIn(whole);
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') records.push({ line: begun, cells });
    cells = [];
    begun = line;
  }
  return records;
};

const csv: Parser = (text) => {
  const records = parseCsv(text);
  if (typeof records === 'string') return records;
  const [header, ...rows] = records;
  const names = header?.cells.map((name) => name.trim().toLowerCase()) ?? [];
  const [promptAt, maxTokensAt] = [names.indexOf('prompt'), names.indexOf('max_tokens')];
  if (promptAt < 0)
    return '1: expected a header with a column "prompt" and optionally "max_tokens"';
  const entries: DatasetEntry[] = [];
  for (const { line, cells } of rows) {
    const prompt = cells[promptAt];
    const most = cells[maxTokensAt]?.trim() ?? '';
    const entry = isText(prompt)
      ? entryFrom(user(prompt), most === '' ? null : Number(most))
      : 'expected text in the column "prompt"';
    if (typeof entry === 'string') return `${line}: ${entry}`;
    entries.push(entry);
  }
  return entries;
};

const userRoles = new Set<unknown>(['human', 'user']);

const turnsOf = (value: unknown): readonly Readonly<Record<string, unknown>>[] | null => {
  const turns = mappingOf(value)?.['conversations'];
  if (!Array.isArray(turns)) return null;
  const mappings = turns.map(mappingOf);
  return mappings.every((turn) => turn !== null) ? mappings : null;
};

/**
 * ShareGPT's conversations: the first human message of each, as other load generators use them;
 * conversations without one are left out. Problems give the entry, because the file is one line.
 */
const shareGpt: Parser = (text) => {
  const list = parsed(text);
  if (!Array.isArray(list)) return '1: expected a JSON list of {"conversations": […]}';
  const entries: DatasetEntry[] = [];
  for (const [index, value] of list.entries()) {
    const turns = turnsOf(value);
    if (turns === null) {
      return `1: entry ${index + 1}: expected "conversations" as a list of {"from": …, "value": …}`;
    }
    const said = turns.find((turn) => userRoles.has(turn['from']))?.['value'];
    if (isText(said)) entries.push({ messages: user(said), maxTokens: null });
  }
  return entries;
};

export const datasetParsers: ReadonlyMap<string, Parser> = new Map([
  ['jsonl', jsonLines],
  ['ndjson', jsonLines],
  ['csv', csv],
  ['json', shareGpt],
]);
