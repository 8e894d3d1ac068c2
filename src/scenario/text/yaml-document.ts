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

const positionAt = (lines: LineCounter, offset: number): SourcePosition => {
  const { line, col } = lines.linePos(offset);
  return { line, column: col, flag: null };
};

/** A key's text; YAML reads an unquoted 1 or true as something else. */
const nameOf = (key: unknown): string | null => {
  if (!isScalar(key)) return null;
  return typeof key.value === 'string' ? key.value : JSON.stringify(key.value);
};

const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && key.value === '<<' && key.type === 'PLAIN';

/** Where a reader stands: the path, the position of its key, and the nodes that enclose it. */
interface NodePlace {
  readonly path: Path;
  readonly key: SourcePosition | null;
  readonly within: readonly Node[];
}

/** Reads the plain values of a document, and notes where each stands. */
class DocumentReader {
  readonly positions = new Map<string, EntryPositions>();
  readonly problems: ScenarioProblem[] = [];
  #values = 0;
  readonly #document: Document;
  readonly #lines: LineCounter;
  /** What each alias stands for: the library searches the whole document every time. */
  readonly #resolved = new Map<Alias, Node | null>();

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
  }

  read(): unknown {
    const value = this.#node(this.#document.contents, { path: [], key: null, within: [] });
    if (this.#values > maxValues) {
      this.#addProblem([], null, `its aliases expand to more than ${maxValues} values`);
    }
    return value;
  }

  #addProblem(path: Path, node: Node | null, message: string): void {
    const position = positionAt(this.#lines, node?.range?.[0] ?? 0);
    this.problems.push({ path: dottedPath(path), ...position, message, hint: null });
  }

  #resolve(alias: Alias): Node | null {
    const node = this.#resolved.get(alias) ?? alias.resolve(this.#document) ?? null;
    this.#resolved.set(alias, node);
    return node;
  }

  /** The pairs of a mapping with `<<` merged in: the mapping's own keys take precedence. */
  #pairsOf(map: YAMLMap, within: readonly Node[]): readonly Pair[] {
    const pairs = map.items.filter((pair) => !isMerge(pair));
    const names = new Set(pairs.map(({ key }) => nameOf(key)));
    const merges = map.items.filter(isMerge).flatMap(({ key, value }) => {
      const sources = isSeq(value) ? value.items : [value];
      return sources.map((source) => ({
        key,
        node: isAlias(source) ? this.#resolve(source) : source,
      }));
    });
    const merged = merges.flatMap(({ key, node }) => {
      if (isMap(node)) return within.includes(node) ? [] : this.#pairsOf(node, [...within, node]);
      this.#addProblem(['<<'], key as Node, '"<<" merges mappings, and this is not a mapping');
      return [];
    });
    for (const pair of merged) {
      const name = nameOf(pair.key);
      if (!names.has(name)) pairs.push(pair);
      names.add(name);
    }
    return pairs;
  }

  #map(map: YAMLMap, { path, within }: NodePlace): unknown {
    const entries: [string, unknown][] = [];
    for (const { key, value } of this.#pairsOf(map, within)) {
      const name = nameOf(key);
      if (!isScalar(key) || key.value === null || name === null) {
        this.#addProblem(path, (key as Node | null) ?? map, 'a key must be plain text');
        continue;
      }
      const position = positionAt(this.#lines, key.range?.[0] ?? 0);
      const place: NodePlace = { path: [...path, name], key: position, within };
      entries.push([name, this.#node(value as Node | null, place)]);
    }
    return Object.fromEntries(entries);
  }

  /** Notes where a node stands; an empty value is found at its key. */
  #recordPositions(node: Node | null, { path, key }: NodePlace): void {
    const offset = node?.range?.[0];
    const empty = isScalar(node) && node.value === null && node.source === '';
    const own = offset === undefined || empty ? null : positionAt(this.#lines, offset);
    const value = own ?? key ?? positionAt(this.#lines, offset ?? 0);
    const isPlainScalar = isScalar(node) && node.type === 'PLAIN';
    this.positions.set(pathKey(path), { key: key ?? value, value, isPlainScalar });
  }

  #node(node: Node | null, place: NodePlace): unknown {
    const { path, within } = place;
    this.#values += 1;
    if (this.#values > maxValues) return undefined;
    const resolved = isAlias(node) ? this.#resolve(node) : node;
    if (isAlias(node) && resolved === null) {
      const message = `there is no anchor "&${node.source}" before this alias`;
      return this.#addProblem(path, node, message);
    }
    if (resolved !== null && within.includes(resolved)) {
      return this.#addProblem(path, node, 'this alias is inside the value that it refers to');
    }
    this.#recordPositions(node, place);
    const inside = { path, key: null, within: resolved === null ? within : [...within, resolved] };
    if (isMap(resolved)) return this.#map(resolved, inside);
    if (isSeq(resolved)) {
      return resolved.items.map((item, index) =>
        this.#node(item as Node | null, { ...inside, path: [...path, index] }),
      );
    }
    return isScalar(resolved) ? resolved.value : null;
  }
}

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
    return { path: '', ...positionAt(lines, error.pos[0]), message, hint: null };
  });
  const more = errors.length - shownProblems.length;
  if (more === 0) return shownProblems;
  const message = `and ${more} more ${more === 1 ? 'place' : 'places'} that are not valid YAML`;
  const hint = 'if this is a scenario, fix the problems above first: the others may come from them';
  return [...shownProblems, { path: '', line: null, column: null, flag: null, message, hint }];
};

/** The text of a scenario file, YAML or JSON (which is YAML), as a tree. */
export const parseScenarioText = (text: string): ParsedTree => {
  if (text.includes('\0')) {
    const message = 'not a text file: expected YAML, JSON or TypeScript, got binary data';
    return {
      tree: null,
      problems: [{ path: '', line: null, column: null, flag: null, message, hint: null }],
    };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const errors = [...document.errors, ...document.warnings];
  const problems = syntaxProblems(errors, lines);
  // A doubled key leaves the structure whole, so that the rest can be looked at too.
  if (errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { tree: null, problems };
  const reader = new DocumentReader(document, lines);
  const tree = { value: reader.read(), positions: reader.positions };
  const isRead = reader.problems.length === 0;
  return { tree: isRead ? tree : null, problems: [...problems, ...reader.problems] };
};
