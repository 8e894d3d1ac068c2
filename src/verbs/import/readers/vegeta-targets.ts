import { parsedJson } from '../../../model/parsed-json.ts';
import { isMapping } from '../../../scenario/text/scenario-tree.ts';
import { type WrittenHeader, ImportError } from './imported.ts';

/** One request of vegeta (https://github.com/tsenart/vegeta), which vegeta calls a target. */
export interface VegetaTarget {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly WrittenHeader[];
  /** The body, or the path of the file that contains the body; `null` without a body. */
  readonly body: Uint8Array | string | null;
  readonly line: number;
  /** The names of fields that vegeta does not read. */
  readonly unread: readonly string[];
}

const fail = (line: number, message: string): never => {
  throw new ImportError(`line ${line}: ${message}`);
};

const targetOfJson = (text: string, line: number): VegetaTarget => {
  const parsed = parsedJson(text);
  if (parsed === undefined) return fail(line, 'expected a target in JSON, all in one line');
  const { method, url, body = '', header = {}, ...others } = isMapping(parsed) ? parsed : {};
  if (typeof method !== 'string' || typeof url !== 'string' || method === '' || url === '') {
    return fail(line, 'expected a target with "method" and "url"');
  }
  if (typeof body !== 'string' || !isMapping(header)) {
    return fail(line, 'expected a "body" in base64 and "header" with lists of values');
  }
  if (!/^[A-Za-z0-9+/\r\n]*={0,2}$/.test(body)) return fail(line, 'its "body" is not in base64');
  const place = `line ${line}`;
  const headers = Object.entries(header).flatMap(([name, values]) =>
    [values].flat().map((value) => ({ name, value: String(value), place })),
  );
  const bytes = body === '' ? null : Buffer.from(body, 'base64');
  return { method, url, headers, body: bytes, line, unread: Object.keys(others) };
};

export const readJsonTargets = (text: string): readonly VegetaTarget[] =>
  text.split('\n').flatMap((each, i) => (each.trim() === '' ? [] : [targetOfJson(each, i + 1)]));

const isRequestLine = (line: string): boolean => /^[A-Z]+\s/.test(line);

/** Returns the lines that belong to a request line. These lines end with the path of a body or with an empty line. */
const readRest = (lines: readonly string[], from: number) => {
  const headers: WrittenHeader[] = [];
  for (let at = from; at < lines.length && lines[at] !== ''; at += 1) {
    const line = lines[at]!;
    if (line.startsWith('#')) continue;
    if (line.startsWith('@')) return { headers, body: line.slice(1), next: at + 1 };
    if (isRequestLine(line)) return fail(at + 1, 'expected an empty line before the next target');
    const [, name, value] = /^([^:]+?)\s*:\s*(\S.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      return fail(at + 1, 'expected a header, or @ and the path of a body');
    headers.push({ name, value, place: `line ${at + 1}` });
  }
  return { headers, body: null, next: from + lines.slice(from).indexOf('') };
};

/** Reads targets in vegeta's format `http`, by the rules of vegeta's own reader (`NewHTTPTargeter`). */
export const readHttpTargets = (text: string): readonly VegetaTarget[] => {
  const lines = [...text.split('\n').map((line) => line.trim()), ''];
  const targets: VegetaTarget[] = [];
  for (let at = 0; at < lines.length;) {
    const head = lines[at]!;
    at += 1;
    if (head === '' || head.startsWith('#')) continue;
    const [, method = '', url = ''] = /^([A-Z]+) +(\S.*)$/.exec(head) ?? [];
    if (method === '')
      return fail(at, 'expected a method and an address, for example: GET http://host/v1/models');
    // If a target has no headers, the next target may follow without an empty line.
    const isAlone = isRequestLine(lines[at] ?? '');
    const { headers, body, next } = isAlone
      ? { headers: [], body: null, next: at }
      : readRest(lines, at);
    targets.push({ method, url, headers, body, line: at, unread: [] });
    at = next;
  }
  return targets;
};
