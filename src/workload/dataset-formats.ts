import {
  type Message,
  type WrittenMessage,
  writtenMessageSchema,
} from '../model/workload/message.ts';
import { type FindMedia, withMedia } from '../model/workload/media.ts';
import { framingFields, isFieldName, isFieldValue } from '../model/observation/header-fields.ts';
import { inexactHint, inexactNumberIn } from '../model/exact-numbers.ts';
import { FieldCounts } from './field-counts.ts';
import { templateProblem } from '../model/plan/secret.ts';
import { parsedJson } from '../model/parsed-json.ts';
import type { DroppedParts } from '../model/workload/prompt-source.ts';
import type { RequestFields } from '../model/workload/workload.ts';
import { maxTokenCount } from '../model/workload/token-count.ts';

/**
 * A prompt in a file. `maxTokens` is the maximum number of answer tokens that the file names for this prompt. `own` are
 * the body fields and headers of this row.
 */
export interface DatasetEntry {
  readonly messages: readonly Message[];
  readonly maxTokens: number | null;
  readonly own?: RequestFields;
}

export interface ParsedDataset {
  readonly entries: readonly DatasetEntry[];
  readonly dropped: DroppedParts;
}

/** Parses the entries in a text. If a line is wrong, returns a problem that begins with the number of the line. */
type Parser = (text: string, media: FindMedia) => ParsedDataset | string;

/** Collects the entries of a file, and counts the parts of the file that no request sends. */
class DatasetRows implements ParsedDataset {
  readonly #fields = new FieldCounts();
  readonly entries: DatasetEntry[] = [];
  readonly dropped = {
    rows: 0,
    firstRow: null as string | null,
    turns: 0,
    fields: this.#fields.counts,
  };

  skip(place: string): void {
    this.dropped.rows += 1;
    this.dropped.firstRow ??= place;
  }

  ignore(names: readonly string[]): void {
    this.#fields.add(names);
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const user = (content: string): readonly Message[] => [{ role: 'user', content }];

const mappingOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

const entryFrom = (messages: readonly Message[], most: unknown): DatasetEntry | string => {
  if (most === undefined || most === null) return { messages, maxTokens: null };
  const maxTokens = Number.isSafeInteger(most) ? (most as number) : 0;
  return maxTokens >= 1 && maxTokens <= maxTokenCount
    ? { messages, maxTokens }
    : 'expected a whole number from 1 as "max_tokens"';
};

/**
 * Returns messages with the content of the files that the messages name. If a file cannot be used, returns the problem.
 */
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

/**
 * Returns a field of a row that should be a mapping: an empty mapping if the field is absent, `null` if it is no
 * mapping.
 */
const fieldsIn = (value: unknown): Readonly<Record<string, unknown>> | null =>
  value === undefined || value === null ? {} : mappingOf(value);

/** Returns an entry with the body and headers of its row. If the body or a header is wrong, returns the problem. */
const withOwnFields = (
  entry: DatasetEntry | string,
  { body, headers }: { readonly body?: unknown; readonly headers?: unknown },
): DatasetEntry | string => {
  if (typeof entry === 'string') return entry;
  const [fields, given] = [fieldsIn(body), fieldsIn(headers)];
  if (fields === null) return 'expected a JSON object of request fields as "body"';
  if (given === null) return 'expected a JSON object of texts as "headers"';
  const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  const wrong = lower.find(([name, value]) => whyNotHeader(name, value) !== null);
  if (wrong !== undefined) return whyNotHeader(...wrong)!;
  const reserved = ['model', 'messages', 'stream'].find((name) => Object.hasOwn(fields, name));
  if (reserved !== undefined) return `Weir sets the request field "${reserved}" itself`;
  const inexact = inexactNumberIn(fields);
  if (inexact !== null) return `the number "${inexact}" cannot be sent as it is: ${inexactHint}`;
  const problem = templateProblem(JSON.stringify([fields, given]));
  if (problem !== null) return problem;
  if (lower.length === 0 && Object.keys(fields).length === 0) return entry;
  const texts = Object.fromEntries(lower) as Readonly<Record<string, string>>;
  return { ...entry, own: { body: fields, headers: texts } };
};

/** Returns the problem of a header in a row; `null` if the header can be sent. */
const whyNotHeader = (name: string, value: unknown): string | null => {
  if (!isFieldName(name)) return 'expected valid names of headers in "headers"';
  if (framingFields.has(name) || name === 'x-request-id' || name === 'authorization')
    return `Weir sets the header "${name}" itself`;
  return typeof value === 'string' && isFieldValue(value)
    ? null
    : `expected text without line breaks as the header "${name}"`;
};

const messagesEntry = (
  { prompt, messages, max_tokens: most }: Readonly<Record<string, unknown>>,
  media: FindMedia,
): DatasetEntry | string => {
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

const rowFields: readonly string[] = ['prompt', 'messages', 'max_tokens', 'body', 'headers'];

/**
 * Returns a row of an OpenAI batch (`{custom_id, method, url, body}`) as a row of prompts. The messages and the maximum
 * number of tokens come from the row's body. The scenario sets the model and `stream`, so both are left out of the
 * body. The model becomes a field of the row, and counts as not sent. A row that is not from a batch stays unchanged.
 */
const batchRow = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
  const body = mappingOf(row['body']);
  if (body === null || row['custom_id'] === undefined || row['messages'] !== undefined) return row;
  const { messages, model, stream: _, max_tokens, max_completion_tokens, ...others } = body;
  const most = max_tokens ?? max_completion_tokens;
  const unsent = isText(model) ? { model } : {};
  return { ...row, ...unsent, messages, max_tokens: most, body: others };
};

/**
 * Returns whether a row is a conversation of ShareGPT. A row with a prompt or messages is not, because its prompt or
 * messages are sent.
 */
const isConversation = (
  fields: Readonly<Record<string, unknown>> | null,
): fields is Readonly<Record<string, unknown>> =>
  fields !== null &&
  (fields['conversations'] ?? undefined) !== undefined &&
  fields['messages'] === undefined &&
  fields['prompt'] === undefined;

const jsonLines: Parser = (text, media) => {
  const rows = new DatasetRows();
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = mappingOf(parsedJson(line));
    const fields = parsed && batchRow(parsed);
    if (isConversation(fields)) {
      if (addConversation(rows, fields, `line ${index + 1}`)) continue;
      return `${index + 1}: expected "conversations" as a list of {"from": …, "value": …}`;
    }
    const entry =
      fields === null
        ? 'expected a JSON object with "prompt" or "messages"'
        : withOwnFields(messagesEntry(fields, media), fields);
    if (typeof entry === 'string') return `${index + 1}: ${entry}`;
    rows.entries.push(entry);
    rows.ignore(Object.keys(fields ?? {}).filter((name) => !rowFields.includes(name)));
  }
  return rows;
};

/** A record of a table. `line` is the number of the line on which the record begins, from 1. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** Matches a cell of RFC 4180, quoted (with doubled quotes inside) or plain, and the character after the cell. */
const cellPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n|$)/y;

const linesIn = (text: string): number => text.split('\n').length - 1;

/**
 * Parses the records of a comma-separated table (RFC 4180). Empty lines are left out. If a quote is wrong or has no
 * end, returns a problem that begins with the number of the line.
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
  const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) return `1: expected one column "${twice}", found several`;
  const [promptAt, maxTokensAt] = [names.indexOf('prompt'), names.indexOf('max_tokens')];
  if (promptAt < 0)
    return '1: expected a header with a column "prompt" and optionally "max_tokens"';
  const jsonIn = (cells: readonly string[], column: string): unknown => {
    const cell = cells[names.indexOf(column)]?.trim() ?? '';
    // A text that is not JSON stays a text, which `withOwnFields` then rejects because it is not a mapping.
    return cell === '' ? undefined : (parsedJson(cell) ?? cell);
  };
  const entryOf = (cells: readonly string[]): DatasetEntry | string => {
    const [prompt, most = ''] = [cells[promptAt], cells[maxTokensAt]?.trim()];
    if (!isText(prompt)) return 'expected text in the column "prompt"';
    const entry = entryFrom(user(prompt), most === '' ? null : Number(most));
    return withOwnFields(entry, { body: jsonIn(cells, 'body'), headers: jsonIn(cells, 'headers') });
  };
  const found = new DatasetRows();
  for (const { line, cells } of rows) {
    const entry = entryOf(cells);
    if (typeof entry === 'string') return `${line}: ${entry}`;
    found.entries.push(entry);
    const filled = names.filter((name, at) => !columns.includes(name) && (cells[at] ?? '') !== '');
    found.ignore(filled);
  }
  return found;
};

const columns: readonly string[] = rowFields.filter((name) => name !== 'messages');

/** The names for the role of the person who asks, in lower case. Open Assistant uses `prompter`. */
const userRoles = new Set<string>(['human', 'user', 'prompter']);

type Turn = Readonly<Record<string, unknown>> | null;

/** Returns whether a turn is a question. The case of the role does not matter: files write `Human` or `USER:`. */
const isQuestion = (turn: Turn): boolean => {
  const role = turn?.['from'] ?? turn?.['role'] ?? turn?.['speaker'] ?? turn?.['author'];
  return typeof role === 'string' && userRoles.has(role.replace(/:\s*$/, '').trim().toLowerCase());
};

/**
 * Returns the turns of a conversation. The turns are in `items` in the raw export of ShareGPT, and in `conversations`,
 * `conversation` or `messages` in other files. The conversation may also be the list of turns itself. An element is
 * `null` if a turn cannot be read.
 */
const turnsOf = (conversation: unknown): readonly Turn[] => {
  if (Array.isArray(conversation)) return conversation.map(mappingOf);
  const fields = mappingOf(conversation);
  const said = ['conversations', 'conversation', 'messages', 'items'].map((name) => fields?.[name]);
  return said.find((turns) => Array.isArray(turns))?.map(mappingOf) ?? [null];
};

/** Returns the text of a turn; empty if the turn has no text. The content of a turn may be a list of text parts. */
const textOf = (turn: Turn): string => {
  const said = turn?.['value'] ?? turn?.['content'] ?? turn?.['text'];
  const parts = Array.isArray(said) ? said.map((part) => mappingOf(part)?.['text']) : [said];
  return parts.every(isText) ? parts.join('') : '';
};

/** The fields of a conversation, other than its turns, that would change the model's answer. */
const instructions = ['system', 'system_prompt', 'tools', 'images', 'audios', 'videos', 'model'];

/** Returns the names of the filled fields of a conversation that would change the model's answer and are not sent. */
const instructionsIn = (conversation: unknown): readonly string[] => {
  const fields = mappingOf(conversation) ?? {};
  return instructions.filter((name) => {
    const value = fields[name];
    return Array.isArray(value)
      ? value.length > 0
      : value !== undefined && value !== null && value !== '';
  });
};

/**
 * Adds the first question that has a text as a prompt, or skips the conversation if it has none. Returns whether the
 * turns of the conversation can be read.
 */
const addConversation = (rows: DatasetRows, conversation: unknown, place: string): boolean => {
  const turns = turnsOf(conversation);
  if (turns.includes(null)) return false;
  const question = turns.find((turn) => isQuestion(turn) && textOf(turn) !== '');
  if (question === undefined) rows.skip(place);
  else {
    rows.entries.push({ messages: user(textOf(question)), maxTokens: null });
    rows.dropped.turns += turns.length - 1;
    rows.ignore(instructionsIn(conversation));
  }
  return true;
};

/**
 * Parses conversations of ShareGPT. A turn has `from` and `value`, or OpenAI's `role` and `content`. As in other load
 * generators, the first question of each conversation becomes a prompt, and conversations without a question are left
 * out. An entry may also be a prompt: a text, or an object with `prompt`. A problem names the entry and not the line,
 * because the whole file may be one line.
 */
const shareGpt: Parser = (text) => {
  const list = parsedJson(text);
  if (!Array.isArray(list)) return '1: expected a JSON list of {"conversations": […]}';
  const rows = new DatasetRows();
  for (const [index, value] of list.entries()) {
    const place = `entry ${index + 1}`;
    const prompt = isText(value) ? value : mappingOf(value)?.['prompt'];
    if (isText(prompt)) rows.entries.push({ messages: user(prompt), maxTokens: null });
    else if (!addConversation(rows, value, place))
      return `1: ${place}: expected "conversations" as a list of {"from": …, "value": …}, or a text as "prompt"`;
  }
  return rows;
};

export const datasetParsers: ReadonlyMap<string, Parser> = new Map([
  ['jsonl', jsonLines],
  ['ndjson', jsonLines],
  ['csv', csv],
  ['json', shareGpt],
]);
