import { createHash } from 'node:crypto';
import { type FindMedia, withMedia } from '../model/workload/media.ts';
import {
  type Message,
  type WrittenMessage,
  writtenMessageSchema,
} from '../model/workload/message.ts';
import { maxTokenCount } from '../model/workload/token-count.ts';
import type { DatasetFacts, ReadResult } from '../model/workload/workload.ts';

/** A prompt of a file, and the maximum tokens of its answer. */
interface DatasetEntry {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
}

/** Parses a text. A problem begins with its line. */
type Parser = (text: string, media: FindMedia) => readonly DatasetEntry[] | string;

/** Collects entries; `null` stands for none. A problem in the place of an entry is the result. */
const collectEntries = (
  placed: Iterable<readonly [place: number | string, DatasetEntry | string | null]>,
): readonly DatasetEntry[] | string => {
  const entries: DatasetEntry[] = [];
  for (const [place, entry] of placed) {
    if (typeof entry === 'string') return `${place}: ${entry}`;
    if (entry !== null) entries.push(entry);
  }
  return entries;
};

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const user = (content: string): readonly Message[] => [{ role: 'user', content }];

const mappingOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const entryFrom = (messages: readonly Message[], most: unknown): DatasetEntry | string => {
  if (most === undefined || most === null) return { messages, maxTokens: null };
  const maxTokens = Number.isSafeInteger(most) ? (most as number) : 0;
  return maxTokens >= 1 && maxTokens <= maxTokenCount
    ? { messages, maxTokens }
    : 'expected a whole number from 1 as "max_tokens"';
};

/** Returns messages with the files that they name, or what is wrong with one. */
const messagesWithMedia = (
  messages: readonly WrittenMessage[],
  media: FindMedia,
): readonly Message[] | string => {
  const filled: Message[] = [];
  for (const { role, content } of messages) {
    const parts = typeof content === 'string' ? [] : content.map((part) => withMedia(part, media));
    const bad = parts.find((part) => !part.ok);
    if (bad !== undefined) return bad.problem;
    const values = parts.flatMap((part) => (part.ok ? [part.value] : []));
    filled.push({ role, content: typeof content === 'string' ? content : values });
  }
  return filled;
};

const jsonEntry = (value: unknown, media: FindMedia): DatasetEntry | string => {
  const fields = mappingOf(value);
  if (fields === null) return 'expected a JSON object with "prompt" or "messages"';
  const { prompt, messages, max_tokens: most } = fields;
  if (messages === undefined) {
    return isText(prompt)
      ? entryFrom(user(prompt), most)
      : 'expected text as "prompt", or a list of "messages"';
  }
  if (prompt !== undefined) return 'expected either "prompt" or "messages", got both';
  const said = writtenMessageSchema.array().min(1).safeParse(messages);
  if (said.success) {
    const filled = messagesWithMedia(said.data, media);
    return typeof filled === 'string' ? filled : entryFrom(filled, most);
  }
  return 'expected "messages" as a list of {"role": "system", "user" or "assistant", "content": text, or a list of parts}';
};

const jsonLines: Parser = (text, media) =>
  collectEntries(
    text
      .split('\n')
      .map((line, index) => [
        index + 1,
        line.trim() === '' ? null : jsonEntry(parseJson(line), media),
      ]),
  );

/** A record of a table. `line` is where it begins, counted from 1. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Matches a cell of RFC 4180, quoted (with doubled quotes inside) or plain, and what ends it. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

/** Parses a table (RFC 4180) without its empty lines. Returns a problem, with its line, for a wrong quote. */
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
    line += whole.split('\n').length - 1;
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
  const entryOf = (cells: readonly string[]): DatasetEntry | string => {
    const [prompt, most = ''] = [cells[promptAt], cells[maxTokensAt]?.trim()];
    if (!isText(prompt)) return 'expected text in the column "prompt"';
    return entryFrom(user(prompt), most === '' ? null : Number(most));
  };
  return collectEntries(rows.map(({ line, cells }) => [line, entryOf(cells)]));
};

const userRoles = new Set<unknown>(['human', 'user']);

const shareGptEntry = (value: unknown): DatasetEntry | string | null => {
  const list: unknown = mappingOf(value)?.['conversations'];
  const turns = Array.isArray(list) ? list.map(mappingOf) : [null];
  if (turns.includes(null)) return 'expected "conversations" as a list of {"from": …, "value": …}';
  const question = turns.find((turn) => userRoles.has(turn?.['from'] ?? turn?.['role']));
  const said = question?.['value'] ?? question?.['content'];
  return isText(said) ? { messages: user(said), maxTokens: null } : null;
};

/**
 * Parses ShareGPT's conversations, whose turns have `from` and `value`, or OpenAI's `role` and `content`. Of each it
 * takes the first human message, as other load generators do. Problems name the entry, because the file is one line.
 */
const shareGpt: Parser = (text) => {
  const list = parseJson(text);
  if (!Array.isArray(list)) return '1: expected a JSON list of {"conversations": […]}';
  return collectEntries(
    list.map((value, index) => [`1: entry ${index + 1}`, shareGptEntry(value)]),
  );
};

const datasetParsers: ReadonlyMap<string, Parser> = new Map([
  ['jsonl', jsonLines],
  ['ndjson', jsonLines],
  ['csv', csv],
  ['json', shareGpt],
]);

export interface Dataset {
  readonly facts: DatasetFacts;
  readonly entries: readonly DatasetEntry[];
}

/** Reads a file of prompts by its extension: JSON lines, CSV or ShareGPT's JSON. Problems quote no prompt. */
export const readDataset = (
  file: string,
  parts: Iterable<Uint8Array>,
  media: FindMedia,
): ReadResult<Dataset> => {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const parse = datasetParsers.get(extension);
  if (parse === undefined) {
    const known = Array.from(datasetParsers.keys(), (name) => `.${name}`).join(', ');
    return { ok: false, problem: `${file}: expected a file of prompts that ends in ${known}` };
  }
  const bytes = Buffer.concat([...parts]);
  const entries = parse(new TextDecoder().decode(bytes), media);
  if (typeof entries === 'string') return { ok: false, problem: `${file}:${entries}` };
  if (entries.length === 0) {
    return { ok: false, problem: `${file}: expected at least one prompt, found none` };
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { ok: true, value: { facts: { sha256, prompts: entries.length }, entries } };
};
