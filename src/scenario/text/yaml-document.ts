import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import type { ScenarioProblem } from './scenario-problem.ts';
import {
  dottedPath,
  type SourcePosition,
  type EntryPositions,
  type Path,
  pathKey,
  type ScenarioTree,
} from './scenario-tree.ts';

/** What came of opening a text: the tree where one could be made, and what is wrong with the text. */
export interface ParsedTree {
  readonly tree: ScenarioTree | null;
  readonly problems: readonly ScenarioProblem[];
}

/** More than any scenario needs; aliases of aliases would otherwise grow without bound. */
const maxValues = 100_000;

interface DocumentWalk {
  readonly document: Document;
  /** What each alias stands for: the library searches the whole document every time. */
  readonly resolvedAliases: Map<Alias, Node | null>;
  readonly lines: LineCounter;
  readonly positions: Map<string, EntryPositions>;
  readonly problems: ScenarioProblem[];
  values: number;
}

const lineAndColumn = (lines: LineCounter, offset: number) => {
  const { line, col } = lines.linePos(offset);
  return { line, column: col };
};

const positionAt = ({ lines }: DocumentWalk, offset: number): SourcePosition => ({
  kind: 'text',
  ...lineAndColumn(lines, offset),
});

const addProblem = (
  { problems, lines }: DocumentWalk,
  path: Path,
  node: Node | null,
  message: string,
): void => {
  const at = lineAndColumn(lines, node?.range?.[0] ?? 0);
  problems.push({ path: dottedPath(path), ...at, flag: null, message, hint: null });
};

const resolve = (walk: DocumentWalk, alias: Alias): Node | null => {
  const before = walk.resolvedAliases.get(alias);
  if (before !== undefined) return before;
  const node = alias.resolve(walk.document) ?? null;
  walk.resolvedAliases.set(alias, node);
  return node;
};

/** A key's text; YAML reads an unquoted 1 or true as something else. */
const nameOf = ({ value }: Scalar): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

/** The pairs of a mapping with `<<` merged in: the mapping's own keys take precedence. */
const pairsOf = (walk: DocumentWalk, map: YAMLMap, within: readonly Node[]): readonly Pair[] => {
  const own: Pair[] = [];
  const merged: Pair[] = [];
  for (const pair of map.items) {
    if (!(isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN')) {
      own.push(pair);
      continue;
    }
    const sources = isSeq(pair.value) ? pair.value.items : [pair.value];
    for (const source of sources) {
      const node = isAlias(source) ? resolve(walk, source) : source;
      if (!isMap(node)) {
        addProblem(walk, ['<<'], pair.key, '"<<" merges mappings, and this is not a mapping');
      } else if (!within.includes(node)) {
        merged.push(...pairsOf(walk, node, [...within, node]));
      }
    }
  }
  const names = new Set(own.map(({ key }) => (isScalar(key) ? nameOf(key) : null)));
  for (const pair of merged) {
    const name = isScalar(pair.key) ? nameOf(pair.key) : null;
    if (!names.has(name)) own.push(pair);
    names.add(name);
  }
  return own;
};

/** Where the walk stands: the path, the mark of its key, and the nodes that enclose it. */
interface NodePlace {
  readonly path: Path;
  readonly key: SourcePosition | null;
  readonly within: readonly Node[];
}

const readMap = (walk: DocumentWalk, map: YAMLMap, { path, within }: NodePlace): unknown => {
  const entries: [string, unknown][] = [];
  for (const { key, value } of pairsOf(walk, map, within)) {
    if (!isScalar(key) || key.value === null) {
      addProblem(walk, path, (key as Node | null) ?? map, 'a key must be plain text');
      continue;
    }
    const name = nameOf(key);
    const mark = positionAt(walk, key.range?.[0] ?? 0);
    const place: NodePlace = { path: [...path, name], key: mark, within };
    entries.push([name, readNode(walk, value as Node | null, place)]);
  }
  return Object.fromEntries(entries);
};

/** Notes where a node stands; an empty value is marked at its key. */
const recordPositions = (walk: DocumentWalk, node: Node | null, { path, key }: NodePlace): void => {
  const offset = node?.range?.[0];
  const empty = isScalar(node) && node.value === null && node.source === '';
  const own = offset === undefined || empty ? null : positionAt(walk, offset);
  const value = own ?? key ?? positionAt(walk, offset ?? 0);
  const isPlainScalar = isScalar(node) && node.type === 'PLAIN';
  walk.positions.set(pathKey(path), { key: key ?? value, value, isPlainScalar });
};

/** The plain value of a node; its marks go into the walk. */
const readNode = (walk: DocumentWalk, node: Node | null, place: NodePlace): unknown => {
  const { path, within } = place;
  walk.values += 1;
  if (walk.values > maxValues) return undefined;
  const resolved = isAlias(node) ? resolve(walk, node) : node;
  if (isAlias(node) && resolved === null) {
    return addProblem(walk, path, node, `there is no anchor "&${node.source}" before this alias`);
  }
  if (resolved !== null && within.includes(resolved)) {
    return addProblem(walk, path, node, 'this alias is inside the value that it refers to');
  }
  recordPositions(walk, node, place);
  const inside = { path, key: null, within: resolved === null ? within : [...within, resolved] };
  if (isMap(resolved)) return readMap(walk, resolved, inside);
  if (isSeq(resolved)) {
    return resolved.items.map((item, index) =>
      readNode(walk, item as Node | null, { ...inside, path: [...path, index] }),
    );
  }
  return isScalar(resolved) ? resolved.value : null;
};

/** Sentences for the mistakes that people make; the library's own words serve for the rest. */
const syntaxMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'this line is indented with a tab; use spaces',
  DUPLICATE_KEY: 'this key is set twice in the same mapping; keep one of them',
  MULTIPLE_DOCS: 'a second document begins here; a scenario file has one',
  TAG_RESOLVE_FAILED: 'this tag is unknown; a scenario needs none',
};

/** One slip can make a hundred complaints, and a text that is no YAML makes one for each line. */
const maxShownErrors = 10;

const syntaxProblems = (errors: readonly YAMLError[], lines: LineCounter): ScenarioProblem[] => {
  const shownProblems = errors.slice(0, maxShownErrors).map((error) => {
    const message = syntaxMessages[error.code] ?? `not valid YAML: ${error.message}`;
    return { path: '', ...lineAndColumn(lines, error.pos[0]), flag: null, message, hint: null };
  });
  const more = errors.length - shownProblems.length;
  if (more === 0) return shownProblems;
  const message = `and ${more} more ${more === 1 ? 'place' : 'places'} that are not valid YAML`;
  const hint = 'if this is a scenario, fix the problems above first: the others may come from them';
  return [...shownProblems, { path: '', line: null, column: null, flag: null, message, hint }];
};

/** The text of a scenario file, YAML or JSON (which is YAML), as a tree. */
export const parseScenarioText = (text: string): ParsedTree => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const errors = [...document.errors, ...document.warnings];
  const problems = syntaxProblems(errors, lines);
  const syntaxCount = problems.length;
  // A doubled key leaves the structure whole, so that the rest can be looked at too.
  const isBroken = errors.some(({ code }) => code !== 'DUPLICATE_KEY');
  if (isBroken) return { tree: null, problems };
  const positions = new Map<string, EntryPositions>();
  const walk = { document, resolvedAliases: new Map(), lines, positions, problems, values: 0 };
  const value = readNode(walk, document.contents, { path: [], key: null, within: [] });
  if (walk.values > maxValues) {
    addProblem(walk, [], null, `its aliases expand to more than ${maxValues} values`);
  }
  return { tree: problems.length === syntaxCount ? { value, positions } : null, problems };
};
