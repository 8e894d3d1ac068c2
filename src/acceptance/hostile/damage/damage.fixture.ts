import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { type Draw, drawFrom } from '../../../model/workload/draw.ts';

/** Values that a damaged or hostile file may hold where another one is expected. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -0,
  -1,
  0.5,
  1e9,
  2 ** 31,
  2 ** 53,
  Number.MAX_SAFE_INTEGER,
  1e300,
  1e308,
  -1e300,
  5e-324,
  '',
  'x',
  'x'.repeat(100_000),
  '\u001b[2J',
  'NaN',
  'Infinity',
  '1e999',
  '-1',
  '9'.repeat(400),
  '2026-02-30T99:99:99Z',
  '275761-01-01T00:00:00Z',
  '<script>alert(1)</script>',
  '${env:HOME}',
  '__proto__',
  [],
  {},
  [[[[]]]],
  { toString: null },
];

type Place = readonly [owner: Record<string, unknown>, name: string];

/** Every field of a document, and every item of its lists. */
function* placesIn(value: unknown): Generator<Place> {
  if (typeof value !== 'object' || value === null) return;
  const owner = value as Record<string, unknown>;
  for (const name of Object.keys(owner)) {
    yield [owner, name];
    yield* placesIn(owner[name]);
  }
}

/** A text that marks the place of something that no JavaScript value holds; `rawTexts` replace it afterwards. */
const mark = '\u0001weir-damage\u0001';

const rawTexts = [
  '1e999',
  '-1e999',
  'NaN',
  '0x10',
  '01',
  '1'.repeat(100_000),
  `${'['.repeat(200_000)}${']'.repeat(200_000)}`,
  `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`,
  '"\\ud800"',
  '"\\u0000"',
] as const;

const swapped = (value: unknown): unknown => {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.length;
  if (Array.isArray(value)) return { ...value };
  if (typeof value === 'object' && value !== null) return Object.values(value);
  return [value];
};

/** Whole owners whose fields are renamed keep the order of the others. */
const rename = (owner: Record<string, unknown>, name: string, other: string): void => {
  const fields = Object.entries(owner);
  for (const [each] of fields) Reflect.deleteProperty(owner, each);
  for (const [each, value] of fields)
    Object.defineProperty(owner, each === name ? other : each, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
};

const changes: readonly ((draw: Draw, place: Place) => void)[] = [
  (draw, [owner, name]) => {
    owner[name] = draw.pick(oddValues);
  },
  (_, [owner, name]) => {
    Reflect.deleteProperty(owner, name);
  },
  (draw, [owner, name]) => {
    const value = owner[name];
    if (typeof value === 'number') owner[name] = value * draw.pick([1e3, 1e6, 1e9, 1e12, -1]);
    if (typeof value === 'string') owner[name] = value.slice(0, Math.floor(value.length / 2));
  },
  (draw, [owner, name]) => {
    const value = owner[name];
    const times = draw.pick([2, 10, 300]);
    // Twice in each other they would make a file of gigabytes, which shows only the bound of sizes.
    const isSmall = JSON.stringify(value).length * times < 20_000_000;
    if (Array.isArray(value) && isSmall)
      owner[name] = Array.from({ length: times }, () => value).flat();
  },
  (draw, [owner, name]) => {
    if (!Array.isArray(owner))
      rename(owner, name, draw.pick([`${name}x`, name.toUpperCase(), '__proto__', 'toString', '']));
  },
  (_, [owner, name]) => {
    owner[name] = swapped(owner[name]);
  },
  (draw, [owner, name]) => {
    const value = owner[name];
    if (Array.isArray(value)) owner[name] = draw.pick([[], Array(100_000).fill(value[0] ?? 0)]);
    else if (typeof value === 'object' && value !== null)
      for (let i = 0; i < 1000; i += 1) (value as Record<string, unknown>)[`unknown${i}`] = i;
  },
  (_, [owner, name]) => {
    owner[name] = mark;
  },
  (_, [owner, name]) => {
    if (typeof owner[name] === 'string')
      owner[name] = owner[name].replace(/\d+/, (n) => `${Number(n) + 1}`);
  },
];

/** A JSON document with one to three fields changed. */
const changedJson = (draw: Draw, text: string): string => {
  const copy: unknown = JSON.parse(text);
  const times = 1 + Math.floor(draw.uniform() * 3);
  for (let time = 0; time < times; time += 1) {
    const places = [...placesIn(copy)];
    if (places.length > 0) draw.pick(changes)(draw, draw.pick(places));
  }
  // A list with the place may have been repeated: hundreds of long texts would be longer than any text.
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => draw.pick(rawTexts));
};

const oddWords = [
  '0',
  '-1',
  '1e9',
  '9007199254740991',
  '1e308',
  '1e999',
  '.inf',
  '.nan',
  '0x7f',
  '~',
  '[]',
  '{}',
  '""',
  '"x"',
  '- -',
  '&a *a',
  '!!js/function',
  '|',
  '${env:HOME}',
  '\x1B[2J',
  '9'.repeat(400),
  'x'.repeat(1e5),
  '['.repeat(1e5),
  '{a: '.repeat(2e4),
  '1000000h',
  '1e9/s',
  '-5s',
  '0%',
  '1e400%',
  '2026-02-30T99:99:99Z',
  '{tokens: 1e12}',
] as const;

const lineBreak = /(?<=\n)/;

/** Damage to the text itself. */
const textChanges: readonly ((draw: Draw, text: string, at: number) => string)[] = [
  (_, text, at) => text.slice(0, at),
  (draw, text, at) =>
    `${text.slice(0, at)}${String.fromCharCode(draw.uniform() * 256)}${text.slice(at + 1)}`,
  (draw, text, at) => text.slice(0, at) + text.slice(at + Math.floor(draw.uniform() * 1000)),
  (_, text, at) => text.slice(0, at) + text.slice(Math.max(0, at - 500)),
  // A number, and a word.
  (draw, text, at) =>
    text.slice(0, at) + text.slice(at).replace(/[-+\w.]*\d[\w.]*/, () => draw.pick(oddWords)),
  (draw, text, at) =>
    text.slice(0, at) + text.slice(at).replace(/[A-Za-z]\w*/, () => draw.pick(oddWords)),
  // A name that is given twice: in JSON, then in lines.
  (_, text, at) => text.slice(0, at) + text.slice(at).replace(/("\w+":)/, '$1null,$1'),
  (draw, text) => {
    const lines = text.split(lineBreak);
    const at = Math.floor(draw.uniform() * lines.length);
    return lines.toSpliced(at, 0, lines[at] ?? '').join('');
  },
  (draw, text) => {
    const lines = text.split(lineBreak);
    return lines.toSpliced(Math.floor(draw.uniform() * lines.length), 1).join('');
  },
  (draw, text) => {
    const lines = text.split(lineBreak);
    const at = Math.floor(draw.uniform() * lines.length);
    const line = lines[at] ?? '';
    return lines.with(at, draw.pick([`  ${line}`, line.trimStart(), `\t${line}`])).join('');
  },
  (draw, text) => {
    const lines = text.split(lineBreak);
    const at = Math.floor(draw.uniform() * lines.length);
    return lines
      .toSpliced(
        at,
        0,
        ...Array<string>(draw.pick([10, 1000])).fill((lines[at] ?? '').slice(-10_000)),
      )
      .join('');
  },
  // Another version.
  (draw, text) => text.replace(/\/1"/, draw.pick(['/2"', '/99999999999999999999"', '"', '/1.0"'])),
];

/** The same text in another form, or something else in its place. */
const wholeChanges: readonly ((bytes: Buffer) => Buffer)[] = [
  () => Buffer.alloc(0),
  (bytes) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
  (bytes) => Buffer.from(bytes.toString('utf8'), 'utf16le'),
  (bytes) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(bytes.toString(), 'utf16le')]),
  (bytes) => Buffer.from(`${bytes.toString('utf8')}é`, 'latin1'),
  (bytes) => gzipSync(bytes),
  () => Buffer.alloc(100_000),
  () => Buffer.from('null'),
  () => Buffer.from('[]'),
  () => Buffer.from('{}'),
  () => Buffer.from('\n'.repeat(100_000)),
  () => Buffer.from('x'.repeat(10_000_000)),
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => Buffer.from(bytes.toString('utf8').replaceAll('\n', '\r')),
];

const changedBytes = (draw: Draw, bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  const at = Math.floor(draw.uniform() * copy.length);
  return draw.pick([
    () => copy.subarray(0, at),
    () => {
      const flips = 1 + Math.floor(draw.uniform() * 20);
      for (let flip = 0; flip < flips; flip += 1)
        copy[Math.floor(draw.uniform() * copy.length)] = Math.floor(draw.uniform() * 256);
      return copy;
    },
    () => Buffer.concat([copy.subarray(0, at), copy.subarray(at + 1 + draw.uniform() * 1000)]),
    () => copy.fill(draw.pick([0, 0xff]), at, Math.min(at + 64, copy.length)),
  ])();
};

/** How a file is written: as one JSON value, a value in each line, another text, or bytes. */
export type Writing = 'json' | 'lines' | 'text' | 'bytes';

const changedLine = (draw: Draw, text: string): string => {
  const lines = text.trimEnd().split('\n');
  const at = Math.floor(draw.uniform() * lines.length);
  return `${lines.with(at, changedJson(draw, lines[at] ?? '{}')).join('\n')}\n`;
};

/** What a path may lead to in place of a file. A pipe is missing: some verbs wait for its writer, as a shell expects. */
const otherThings: readonly ((path: string) => Promise<unknown>)[] = [
  (path) => mkdir(path),
  (path) => symlink('/dev/zero', path),
  (path) => symlink(path, path),
  () => Promise.resolve(),
];

/** Returns damaged copy number `n` of a file. */
const damagedCopy = (bytes: Buffer, writing: Writing, n: number): Buffer => {
  const draw = drawFrom(1900, n);
  if (draw.uniform() < 0.04) return draw.pick(wholeChanges)(bytes);
  if (writing === 'bytes') return changedBytes(draw, bytes);
  const text = bytes.toString('utf8');
  if (writing === 'json' && draw.uniform() < 0.7) return Buffer.from(changedJson(draw, text));
  if (writing === 'lines' && draw.uniform() < 0.7) return Buffer.from(changedLine(draw, text));
  const times = writing === 'text' ? 1 + Math.floor(draw.uniform() * 2) : 1;
  let changed = text;
  for (let time = 0; time < times; time += 1)
    changed = draw.pick(textChanges)(draw, changed, Math.floor(draw.uniform() * changed.length));
  return Buffer.from(changed);
};

/** Replaces a file by its damaged copy number `n`, or by something that is no file. */
export const damage = async (
  path: string,
  { bytes, writing }: { readonly bytes: Buffer; readonly writing: Writing },
  n: number,
): Promise<void> => {
  const replace = n % 20 === 19 ? otherThings[Math.floor(n / 20) % otherThings.length] : undefined;
  await rm(path, { force: true });
  await (replace === undefined ? writeFile(path, damagedCopy(bytes, writing, n)) : replace(path));
};
