import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineCounter, parseDocument, stringify } from 'yaml';
import { parseScenarioText } from './yaml-document.ts';
import { problemsText } from './scenario-problem.ts';
import { positionOf, type Path, type ScenarioTree } from './scenario-tree.ts';

const treeOf = (text: string): ScenarioTree => {
  const { tree, problems } = parseScenarioText(text);
  expect(problems).toEqual([]);
  if (tree === null) throw new Error('the text gave no tree');
  return tree;
};

const problemsOf = (text: string): string => problemsText(parseScenarioText(text).problems, 'f');

/** Returns the rest of the line that a position points at. */
const textAt = (text: string, tree: ScenarioTree, path: Path, part: 'key' | 'value'): string => {
  const mark = positionOf(tree, path, part);
  if (mark.line === null || mark.column === null) throw new Error('a text has no flags');
  return (text.split('\n')[mark.line - 1] ?? '').slice(mark.column - 1);
};

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const leaf = fc.oneof(
  fc.integer({ min: 0, max: 99_999 }),
  word.map((text) => `x${text}`),
);
const { nested } = fc.letrec((again) => ({
  nested: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.dictionary(word, again('nested'), { minKeys: 1, maxKeys: 4 }),
    fc.array(again('nested'), { minLength: 1, maxLength: 3 }),
  ),
}));

const leavesOf = (value: unknown, path: Path = []): { path: Path; leaf: unknown }[] => {
  if (typeof value !== 'object' || value === null) return [{ path, leaf: value }];
  return Object.entries(value).flatMap(([key, inner]) =>
    leavesOf(inner, [...path, Array.isArray(value) ? Number(key) : key]),
  );
};

describe('a YAML document', () => {
  it.each([
    ['YAML', (value: unknown) => stringify(value)],
    ['JSON on one line', (value: unknown) => JSON.stringify(value)],
    ['JSON with tabs', (value: unknown) => JSON.stringify(value, null, '\t')],
  ])('in %s keeps every value, and has the position of each key and value', (_, write) => {
    fc.assert(
      fc.property(fc.dictionary(word, nested, { minKeys: 1, maxKeys: 4 }), (value) => {
        const text = write(value);
        const tree = treeOf(text);
        expect(tree.value).toEqual(value);
        for (const { path, leaf: inside } of leavesOf(value)) {
          const bare = (rest: string): string => rest.replace(/^["']/, '');
          expect(bare(textAt(text, tree, path, 'value'))).toMatch(
            new RegExp(`^${String(inside)}\\b`),
          );
          const key = path.at(-1);
          if (typeof key !== 'string') continue;
          expect(bare(textAt(text, tree, path, 'key'))).toMatch(new RegExp(`^${key}["']?:`));
        }
      }),
      { numRuns: 50 },
    );
  });

  it('reports a missing value at the key of its parent', () => {
    const text = 'a: 1\nload:\n  rate: 5\n';
    expect(textAt(text, treeOf(text), ['load', 'duration'], 'key')).toBe('load:');
  });

  it('resolves anchors, aliases and merged mappings, with positions in the text', () => {
    const text = [
      'base: &base {kind: chat, model: m}',
      'list: [*base, *base]',
      'own: {<<: *base, model: n}',
      'both: {<<: [{a: 1}, {a: 2, b: 3}]}',
    ].join('\n');
    const tree = treeOf(text);
    expect(tree.value).toEqual({
      base: { kind: 'chat', model: 'm' },
      list: [
        { kind: 'chat', model: 'm' },
        { kind: 'chat', model: 'm' },
      ],
      own: { kind: 'chat', model: 'n' },
      both: { a: 1, b: 3 },
    });
    expect(textAt(text, tree, ['list', 1], 'value')).toBe('*base]');
    expect(textAt(text, tree, ['list', 1, 'model'], 'value')).toBe('m}');
    expect(textAt(text, tree, ['own', 'model'], 'value')).toBe('n}');
  });

  it('treats a key named __proto__ as an ordinary key', () => {
    const { value } = treeOf('__proto__: {polluted: true}\n');
    expect(Object.keys(value as object)).toEqual(['__proto__']);
    expect((value as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('an invalid document', () => {
  it.each([
    ['a tab', 'a:\n\tb: 1\n', 'f:2:1: this line is indented with a tab; use spaces'],
    [
      'a doubled key',
      'a: 1\nb: 1\na: 2\n',
      'f:3:1: this key is set twice in the same mapping; keep one of them',
    ],
    [
      'a second document',
      'a: 1\n---\nb: 1\n',
      'f:2:1: a second document begins here; a scenario file has one',
    ],
    ['a tag', 'a: !secret x\n', 'f:1:4: this tag is unknown; a scenario needs none'],
    [
      'an open quote',
      'a: "x\n',
      'f:2:1: this quotation mark has no second one: close it, or leave it out',
    ],
    ['an open list', 'a: [1, 2\nb: 3\n', 'f:2:1: the [ above is not closed: write ] at its end'],
    ['an alias of nothing', 'a: *x\n', 'f:1:4: there is no anchor "&x" before this alias'],
    ['a circle', 'a: &x [1, *x]\n', 'f:1:11: this alias is inside the value that it refers to'],
    ['a list for a key', '? [a]\n: 1\n', 'f:1:3: a key must be plain text'],
    [
      'a merge of text',
      'a: {<<: text}\n',
      'f:1:5: "<<" merges mappings, and this is not a mapping',
    ],
  ])('with %s is reported at its place', (_, text, expected) => {
    expect(problemsOf(text).split('\n')[0]).toBe(expected);
  });

  it('that Weir wrote as a result is named, with the verb that reads it', () => {
    for (const format of ['result/1', 'token-limits/1'])
      expect(problemsOf(JSON.stringify({ format, weir: '0.1.0' }))).toContain(
        'expected a scenario, got a file that Weir wrote: `weir report FILE` reads it',
      );
    expect(problemsOf('{"format":"capacity/1"}')).toContain('`weir init` writes a first scenario');
    expect(problemsOf('{"format": "json"}')).toBe('');
  });
});

describe('one slip in a text', () => {
  const text = [
    'name: t',
    'traffic:',
    '  - kind: chat',
    '    model: m',
    '    prompt: Say it.',
    '  - kind: models',
    'prices:',
    '  m: { input: 0.1, output: 0.2 }',
    'load: { kind: constant, rate: 1/s, duration: 2s }',
  ];

  it.each([
    ['no colon', 4, '    model m', 'f:4:5: expected "name: value"'],
    ['no space after the colon', 4, '    model:m', 'f:4:5: expected "name: value"'],
    ['a colon too many', 4, '    model: : m', 'f:4:12: a second colon on this line'],
    ['a colon in a value', 5, '    prompt: Say: it.', 'f:5:13: a second colon on this line'],
    ['a space too few', 4, '   model: m', 'f:4:1: expected "- " at the beginning of this line'],
    ['no space after the dash', 6, '  -kind: models', 'f:6:1: this line is indented otherwise'],
    ['no colon before a list', 2, 'traffic', 'f:2:1: expected "name: value" or "name:"'],
    ['no comma', 8, '  m: { input: 0.1 output: 0.2 }', 'f:8:15: expected a comma before'],
    ['a tab', 4, '\tmodel: m', 'f:4:1: this line is indented with a tab'],
  ])('(%s) gives one message', (_, line, slipped, expected) => {
    const said = problemsOf(text.with(line - 1, slipped).join('\n')).split('\n');
    expect(said).toHaveLength(1);
    expect(said[0]!.startsWith(expected), said[0]).toBe(true);
  });

  it('gives at most one message about YAML, wherever it is', () => {
    const slip = fc.constantFrom(
      (line: string) => line.replace(/:( |$)/, '$1'),
      (line: string) => line.replace(': ', ':'),
      (line: string) => line.replace(': ', ': : '),
      (line: string) => line.replace(/^ /, ''),
      (line: string) => ` ${line}`,
      (line: string) => line.replace('- ', '-'),
      (line: string) => line.replace(' }', ''),
    );
    fc.assert(
      fc.property(fc.nat({ max: text.length - 1 }), slip, (at, change) => {
        const { problems } = parseScenarioText(text.with(at, change(text[at]!)).join('\n'));
        expect(problems.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a text that is not YAML', () => {
  it('has only its first mistake reported, however many follow from it', () => {
    const text = Array.from({ length: 40 }, (_, i) => `a: "b" c${i}`).join('\n');
    expect(problemsOf(text)).toMatch(/^f:1:\d+: not valid YAML: .*$/);
  });

  it('is called binary by one message if it has a zero byte', () => {
    expect(problemsOf('a: 1\n\0')).toMatch(/^f: not a text file: .*binary data$/);
  });

  it('has its doubled keys where the library finds them', () => {
    const name = fc.constantFrom('a', 'b', '1', '"1"', 'true', '~', '&x a', '!!str a', "'b'");
    const flow = fc
      .array(name, { maxLength: 3 })
      .map((names) => `{${names.map((each) => `${each}: 1`).join(', ')}}`);
    const block = fc.array(fc.tuple(name, flow), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(block, (entries) => {
        const text = entries.map(([key, value]) => `${key}: ${value}\n`).join('');
        const lineCounter = new LineCounter();
        const { errors } = parseDocument(text, { lineCounter, prettyErrors: false });
        const found = parseScenarioText(text).problems.filter(({ message }) =>
          message.includes('set twice'),
        );
        expect(found.map(({ line, column }) => ({ line, col: column }))).toEqual(
          errors.map(({ pos }) => lineCounter.linePos(pos[0])),
        );
      }),
    );
  });

  it('keeps a valid structure that has only many duplicate keys', () => {
    const doubled = Array.from({ length: 14 }, () => 'name: x').join('\n');
    const { tree, problems } = parseScenarioText(doubled);
    expect(tree).not.toBeNull();
    expect(problems).toHaveLength(11);
    expect(problems.at(-1)?.message).toBe('and 3 more places of invalid YAML');
  });
});
