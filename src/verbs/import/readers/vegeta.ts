import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { formatDuration, formatRate } from '../../../scenario/schema/notation.ts';
import { queryHoldsSecret } from '../../../scenario/schema/wire-schema.ts';
import { goDuration } from './go-duration.ts';
import {
  headerFields,
  isOwnHeader,
  readHeaders,
  type WrittenHeader,
  type Imported,
  type ImportedFile,
  ImportError,
  keyReference,
  noteKeyAndLimits,
  Notes,
} from './imported.ts';
import { type EntrySource, entryReaders } from './vegeta-entries.ts';
import type { VegetaTarget } from './vegeta-targets.ts';

/** The facts that a file of targets lacks: the options of vegeta's attack, and the contents of other files. */
export interface VegetaAttack {
  /** The rate in vegeta's notation: `50`, `50/s` or `100/1m`. */
  readonly rate: string | undefined;
  /** The duration in Go's notation: `30s` or `1m30s`. */
  readonly duration: string | undefined;
  /** The bodies in files, by path. A string instead of bytes says why the file cannot be read. */
  readonly bodies: ReadonlyMap<string, Uint8Array | string>;
  /** Whether files can be written beside the scenario. */
  readonly canWriteFiles: boolean;
}

const rateOf = (text: string): string => {
  const [, n, per = '1s'] = /^(\d+)(?:\/(\S+))?$/.exec(text) ?? [];
  const every = goDuration(/^\d/.test(per) ? per : `1${per}`);
  if (n === undefined || every === null || every === 0 || Number(n) === 0) {
    throw new ImportError(
      `--rate ${text}: expected requests in a time, such as 50/s or 100/1m, and more than 0`,
    );
  }
  return formatRate(perSecond((Number(n) * 1000) / every));
};

const durationOf = (text: string): string => {
  const length = goDuration(text);
  if (length !== null && length > 0) return formatDuration(milliseconds(length));
  throw new ImportError(`--duration ${text}: expected a length of time such as 30s or 1m30s`);
};

const loadOf = ({ rate, duration }: VegetaAttack, notes: Notes) => {
  const missing = [
    rate === undefined ? '--rate' : '',
    duration === undefined ? '--duration' : '',
  ].filter((name) => name !== '');
  if (missing.length > 0) {
    const message =
      'targets hold no load; give vegeta’s own options to weir import, or change "load"';
    notes.chosen(`no ${missing.join(' and no ')}`, message);
  }
  return {
    kind: 'constant',
    rate: rate === undefined ? '1/s' : rateOf(rate),
    duration: duration === undefined ? '60s' : durationOf(duration),
  };
};

interface Located {
  readonly target: VegetaTarget;
  readonly base: string;
  readonly read: (source: EntrySource) => ReturnType<(typeof entryReaders)[number]['read']>;
}

/**
 * Returns a target with its base address (which includes the query) and its reader. Returns `null` if the interface has
 * no such request, or if the address may contain a key.
 */
const locate = (target: VegetaTarget, notes: Notes): Located | null => {
  const place = `line ${target.line}`;
  const url = URL.canParse(target.url) ? new URL(target.url) : null;
  const row = entryReaders.find(
    ({ method, path }) => method === target.method && url?.pathname.endsWith(path),
  );
  if (url === null || row === undefined || !/^https?:$/.test(url.protocol)) {
    const known = entryReaders.map(({ method, path }) => `${method} …${path}`).join(', ');
    notes.left(
      place,
      `${target.method} with this address is not of the interface, which has ${known}`,
    );
    return null;
  }
  if (url.username !== '' || queryHoldsSecret(url)) {
    notes.left(place, 'its address holds what can be a key: send it in a header');
    return null;
  }
  const base = `${url.origin}${url.pathname.slice(0, -row.path.length)}${url.search}`;
  return { target, base, read: row.read };
};

/** Returns the most frequent element. Of several equally frequent elements, returns the first. */
const mostFrequent = (values: readonly string[]): string | undefined =>
  [...Map.groupBy(values, (value) => value)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  )[0]?.[0];

/** Returns the headers that all targets have in common. Adds a note on each header that only some targets have. */
const commonHeaders = (
  targets: readonly VegetaTarget[],
  notes: Notes,
): readonly WrittenHeader[] => {
  const alike = Map.groupBy(
    targets.flatMap(({ headers }) => headers),
    ({ name, value }) => `${name.toLowerCase()}:${value}`,
  );
  const all: WrittenHeader[] = [];
  const keys = new Set<string>();
  for (const [first, ...more] of alike.values()) {
    const name = first!.name.toLowerCase();
    if (name === 'authorization') keys.add(first!.value);
    if (more.length + 1 >= targets.length || name === 'authorization' || isOwnHeader(name))
      all.push(first!);
    else
      notes.left(
        first!.place,
        `the header ${name} is not that of all requests: a scenario’s headers go with every request`,
      );
  }
  if (keys.size > 1) {
    const message = 'write a list of "keys" or, to keep each with its requests, "populations"';
    notes.left('authorization', `${keys.size} different keys: ${message}`);
  }
  const names = new Set<string>();
  return all.filter(({ name, place }) => {
    const lower = name.toLowerCase();
    const isFirst = !names.has(lower);
    names.add(lower);
    // These headers need no note. A note on several keys was already added, and Weir sets its own headers itself.
    if (!isFirst && lower !== 'authorization' && !isOwnHeader(lower))
      notes.left(place, `a second value of the header ${lower}: a scenario sends each header once`);
    return isFirst;
  });
};

const sourceOf = (
  { headers, body }: VegetaTarget,
  { bodies }: VegetaAttack,
): EntrySource | string => {
  const bytes = typeof body === 'string' ? bodies.get(body) : body;
  if (typeof bytes === 'string') return bytes;
  const contentType =
    headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
  return { contentType, body: bytes ?? null };
};

/** Stores an upload and returns its name. Uploads with different content have different names. */
const keptName = (files: ImportedFile[], { name, bytes }: ImportedFile): string => {
  const known = files.find((file) => Buffer.from(file.bytes).equals(bytes));
  if (known !== undefined) return known.name;
  const isTaken = files.some((file) => file.name === name);
  const path = isTaken ? `${files.length + 1}-${name}` : name;
  files.push({ name: path, bytes });
  return path;
};

/** Returns the importable targets at a base address, with their traffic entries and uploads. */
const takeTargets = (
  located: readonly Located[],
  base: string,
  attack: VegetaAttack,
  notes: Notes,
) => {
  const taken: VegetaTarget[] = [];
  const entries: Readonly<Record<string, unknown>>[] = [];
  const files: ImportedFile[] = [];
  const changes: { readonly change: string; readonly place: string }[] = [];
  for (const each of located) {
    const place = `line ${each.target.line}`;
    if (each.base !== base) {
      notes.left(place, `another base address than ${base}: write "targets" to send to both`);
      continue;
    }
    const source = sourceOf(each.target, attack);
    const found =
      typeof source === 'string' ? ({ ok: false, problem: source } as const) : each.read(source);
    if (!found.ok) notes.left(place, found.problem);
    else if (found.file !== undefined && !attack.canWriteFiles)
      notes.left(place, 'its upload is written beside the scenario: add --out FILE');
    else {
      const clips = found.file === undefined ? {} : { clips: keptName(files, found.file) };
      entries.push({ ...found.entry, ...clips });
      changes.push(...found.changes.map((change) => ({ change, place })));
      taken.push(each.target);
    }
  }
  for (const [text, [first]] of Map.groupBy(changes, ({ change }) => change))
    notes.chosen(first!.place, text);
  return { taken, entries, files };
};

export const importVegeta = (targets: readonly VegetaTarget[], attack: VegetaAttack): Imported => {
  const notes = new Notes();
  const located = targets.flatMap((target) => locate(target, notes) ?? []);
  const unread = targets.flatMap(({ unread: names, line }) =>
    names.map((name) => ({ name, place: `line ${line}` })),
  );
  for (const [name, [first]] of Map.groupBy(unread, (each) => each.name))
    notes.unneeded(
      first!.place,
      `vegeta does not read ${JSON.stringify(name.slice(0, 80))} either`,
    );
  const base = mostFrequent(located.map((each) => each.base));
  if (base === undefined) {
    throw new ImportError(
      'no target is a request of the interface: chat completions, speech, transcription or the model list',
    );
  }
  const { taken, entries, files } = takeTargets(located, base, attack, notes);
  // Equal traffic entries become one entry with a weight.
  const alike = [...Map.groupBy(entries, (entry) => JSON.stringify(entry)).values()];
  const traffic = alike.map((each) =>
    entries.length > 1 ? { ...each[0], weight: each.length } : each[0]!,
  );
  if (traffic.length === 0)
    throw new ImportError(`no target can be taken over: ${notes.list.at(-1)?.message}`);
  const read = readHeaders(commonHeaders(taken, notes), base, notes);
  noteKeyAndLimits(read.keyHeader === null ? 'no target has one' : null, notes);
  if (traffic.length > 1) {
    notes.chosen('order', 'vegeta sends targets in turn, Weir draws each request by its weight');
  }
  const scenario = {
    target: base,
    keys: keyReference,
    ...headerFields(read),
    limits: 'none',
    traffic,
    load: loadOf(attack, notes),
  };
  return { kind: 'scenario', scenario, files, notes: notes.sorted };
};
