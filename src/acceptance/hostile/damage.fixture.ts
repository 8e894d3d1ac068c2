import { type Draw, drawFrom } from '../../model/workload/draw.ts';

/** Values that a damaged or hostile file may hold where another one is expected. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  1e300,
  -1e300,
  '',
  'x',
  'x'.repeat(100_000),
  '\u001b[2J',
  '2026-02-30T99:99:99Z',
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

const oneOf = <T>(draw: Draw, choices: readonly T[]): T =>
  choices[Math.floor(draw.uniform() * choices.length)]!;

const changes: readonly ((draw: Draw, place: Place) => void)[] = [
  (draw, [owner, name]) => {
    owner[name] = oneOf(draw, oddValues);
  },
  (_, [owner, name]) => {
    Reflect.deleteProperty(owner, name);
  },
  (draw, [owner, name]) => {
    const value = owner[name];
    if (typeof value === 'number') owner[name] = value * oneOf(draw, [1e3, 1e6, 1e12, -1]);
    if (typeof value === 'string') owner[name] = value.slice(0, Math.floor(value.length / 2));
  },
  (draw, [owner, name]) => {
    const value = owner[name];
    const times = oneOf(draw, [2, 10, 300]);
    if (Array.isArray(value)) owner[name] = Array.from({ length: times }, () => value).flat();
  },
];

/** Damage to the text itself: cut off, a byte changed, a part removed, a part repeated. */
const textChanges: readonly ((draw: Draw, text: string, at: number) => string)[] = [
  (_, text, at) => text.slice(0, at),
  (draw, text, at) =>
    `${text.slice(0, at)}${String.fromCharCode(draw.uniform() * 256)}${text.slice(at + 1)}`,
  (draw, text, at) => text.slice(0, at) + text.slice(at + Math.floor(draw.uniform() * 1000)),
  (_, text, at) => text.slice(0, at) + text.slice(Math.max(0, at - 500)),
];

/** Damaged copy number `n` of a JSON document: one to three fields changed, or its text. */
export const damagedCopy = (document: string, n: number): string => {
  const draw = drawFrom(1900, n);
  if (draw.uniform() < 0.3) {
    const at = Math.floor(draw.uniform() * document.length);
    return oneOf(draw, textChanges)(draw, document, at);
  }
  const copy: unknown = JSON.parse(document);
  const times = 1 + Math.floor(draw.uniform() * 3);
  for (let time = 0; time < times; time += 1) {
    const places = [...placesIn(copy)];
    if (places.length > 0) oneOf(draw, changes)(draw, oneOf(draw, places));
  }
  return JSON.stringify(copy);
};
