import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  array,
  constantFrom,
  integer,
  record,
  sample,
  string,
  stringMatching,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanUpAfterEach, tempFolder } from '../../acceptance/harness/weir-process.fixture.ts';
import { type PrometheusSample, readPrometheusSample } from '../../record/prometheus-sample.ts';
import { installedPython, roomFile } from '../harness/installed.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { outputOf } from '../harness/program-output.ts';

cleanUpAfterEach();

type ReadSample = readonly [name: string, labels: Readonly<Record<string, string>>, value: string];

interface ReadByPrometheus {
  /** `null` for a line that its parser refuses. */
  readonly lines: readonly (readonly ReadSample[] | null)[];
  /** What its own writer makes of metrics with hard labels, and what its parser reads of that. */
  readonly text: string;
  readonly samples: readonly ReadSample[];
}

const readByPrometheus = async (lines: readonly string[]): Promise<ReadByPrometheus> => {
  const packages = await installedPython('prometheus-pypi', 'clients/drivers/prometheus.txt');
  const path = join(await tempFolder(), 'lines.json');
  await writeFile(path, JSON.stringify(lines));
  const { stdout } = await outputOf('python3', [roomFile('servers/client/prometheus_text.py')], {
    cwd: packages,
    env: { WEIR_LINES: path, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  return JSON.parse(stdout) as ReadByPrometheus;
};

/** Python writes `nan` and `inf`. */
const pythonNumber = (text: string): number =>
  text.endsWith('inf')
    ? Number(text.replace('inf', 'Infinity'))
    : Number(text.replace('nan', 'NaN'));

const asSample = ([name, labels, value]: ReadSample): PrometheusSample => ({
  name,
  labels: Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  value: pythonNumber(value),
});

const blank = constantFrom('', '', ' ', '\t', '  ');
const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\r', '');
const labels = array(
  tuple(stringMatching(/^[a-zA-Z][a-zA-Z0-9_]{0,5}$/), string({ unit: 'binary', maxLength: 12 })),
  { maxLength: 4 },
).map((pairs) => [...new Map(pairs)]);
const number = constantFrom(
  '0',
  '1',
  '-2.5',
  '+3',
  '1e21',
  '1.5E-7',
  '.5',
  '7.',
  'NaN',
  '+Inf',
  '-Inf',
  'inf',
);

/** Well-formed lines. */
const lines = record({
  name: stringMatching(/^[a-zA-Z_:][a-zA-Z0-9_:]{0,8}$/),
  labels,
  number,
  moment: constantFrom('', '', ' 1395066363000', '\t-1'),
  blanks: array(blank, { minLength: 6, maxLength: 6 }),
  hasBraces: constantFrom(true, true, false),
}).map(({ name, labels: pairs, number: value, moment, blanks: b, hasBraces }) => {
  const inner = pairs
    .map(([label, text]) => `${b[0]}${label}${b[1]}=${b[2]}"${escaped(text)}"${b[3]}`)
    .join(',');
  const braces = hasBraces || pairs.length > 0 ? `{${inner}}` : '';
  return `${name}${b[4]}${braces}${braces === '' ? ' ' : b[5]}${value}${moment}`;
});

/** Lines of which one character is another one, is missing or is there twice. */
const damaged = tuple(
  lines,
  integer({ min: 0, max: 60 }),
  constantFrom(...'{}",=\\ #a1-'),
  integer({ min: 0, max: 2 }),
).map(([line, at, letter, how]) => {
  const index = at % line.length;
  return (
    line.slice(0, index) + ['', letter, line[index]! + line[index]!][how]! + line.slice(index + 1)
  );
});

describe('lines of metrics', () => {
  it('are read as Prometheus’s own parser reads them, well-formed or damaged', async (context) => {
    const sound = sample(lines, { numRuns: 1000, seed: 1 });
    const all = [...sound, ...sample(damaged, { numRuns: 3000, seed: 2 })];
    const read = await orSkip(context, () => readByPrometheus(all));
    let refused = 0;
    for (const [i, line] of all.entries()) {
      const own = readPrometheusSample(line);
      const theirs = read.lines[i]?.[0];
      // Theirs is laxer than the format in names and commas, as its own documentation says: ours may refuse more, but never read more.
      if (own === null && i >= sound.length) refused += 1;
      else expect({ ...own, value: own!.value + 0 }, line).toEqual(theirs && asSample(theirs));
    }
    expect(refused).toBeGreaterThan(500);
    expect(refused).toBeLessThan(2000);
  }, 600_000);

  it('that Prometheus’s own writer makes of hard labels are read to the last sample', async (context) => {
    const { text, samples } = await orSkip(context, () => readByPrometheus([]));
    const own = text.split('\n').flatMap((line) => readPrometheusSample(line) ?? []);
    expect(own.length).toBeGreaterThan(20);
    expect(own).toEqual(samples.map(asSample));
  }, 600_000);
});
