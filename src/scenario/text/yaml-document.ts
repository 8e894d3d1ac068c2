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
  visit,
  type YAMLError,
  type YAMLMap,
  YAMLParseError,
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

/** The result of parsing a text: the tree, or `null` without a usable tree, and the problems of the text. */
export interface ParsedTree {
  readonly tree: ScenarioTree | null;
  readonly problems: readonly ScenarioProblem[];
}

/**
 * The maximum number of values that aliases repeat. Without a maximum, nested aliases could produce any number of
 * values.
 */
const maxRepeatedValues = 100_000;

const positionAt = (lines: LineCounter, offset: number): SourcePosition => {
  const { line, col } = lines.linePos(offset);
  return { line, column: col, flag: null };
};

/** Returns a key as a text. YAML reads keys such as 1 or true without quotes as numbers or booleans. */
const nameOf = (key: unknown): string | null => {
  if (!isScalar(key)) return null;
  return typeof key.value === 'string' ? key.value : JSON.stringify(key.value);
};

const isMerge = ({ key }: Pair): boolean =>
  isScalar(key) && key.value === '<<' && key.type === 'PLAIN';

interface NodePlace {
  readonly path: Path;
  readonly key: SourcePosition | null;
  readonly within: readonly Node[];
  /** Whether an alias leads to the node. */
  readonly isRepeated?: boolean;
}

/**
 * Returns the node to which each alias refers: the last one of its name before the alias. All are found in one pass,
 * since the library would search the whole document for each alias.
 */
const aliasTargets = (document: Document): ReadonlyMap<Alias, Node> => {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node>();
  visit(document, {
    Node: (_, node) => {
      if (!isAlias(node)) {
        if (node.anchor !== undefined) anchors.set(node.anchor, node);
        return;
      }
      const target = anchors.get(node.source);
      if (target !== undefined) targets.set(node, target);
    },
  });
  return targets;
};

/**
 * Returns an error for each key that its mapping has already. The library would compare each key with all those before
 * it: 100,000 keys would take minutes.
 */
const repeatedKeys = (document: Document): readonly YAMLError[] => {
  const errors: YAMLError[] = [];
  visit(document, {
    Map: (_, { items }) => {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const [from, to] = key.range!;
        if (names.has(key.value)) errors.push(new YAMLParseError([from, to], 'DUPLICATE_KEY', ''));
        names.add(key.value);
      }
    },
  });
  return errors;
};

/** Reads the plain values of a document, and records the position of each value. */
class DocumentReader {
  readonly positions = new Map<string, EntryPositions>();
  readonly problems: ScenarioProblem[] = [];
  #repeatedValues = 0;
  readonly #document: Document;
  readonly #lines: LineCounter;
  readonly #targets: ReadonlyMap<Alias, Node>;

  constructor(document: Document, lines: LineCounter) {
    this.#document = document;
    this.#lines = lines;
    this.#targets = aliasTargets(document);
  }

  read(): unknown {
    const value = this.#node(this.#document.contents, { path: [], key: null, within: [] });
    if (this.#repeatedValues > maxRepeatedValues) {
      this.#addProblem([], null, `its aliases expand to more than ${maxRepeatedValues} values`);
    }
    return value;
  }

  #addProblem(path: Path, node: Node | null, message: string): void {
    const position = positionAt(this.#lines, node?.range?.[0] ?? 0);
    this.problems.push({ path: dottedPath(path), ...position, message, hint: null });
  }

  /**
   * Returns the pairs of a mapping, including the pairs of the mappings that `<<` names. A key of the mapping itself
   * takes precedence over the same key of those mappings.
   */
  #pairsOf(map: YAMLMap, within: readonly Node[]): readonly Pair[] {
    const pairs = map.items.filter((pair) => !isMerge(pair));
    const names = new Set(pairs.map(({ key }) => nameOf(key)));
    const merges = map.items.filter(isMerge).flatMap(({ key, value }) => {
      const sources = isSeq(value) ? value.items : [value];
      return sources.map((source) => ({
        key,
        node: isAlias(source) ? this.#targets.get(source) : source,
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

  #map(map: YAMLMap, { path, within, isRepeated: isInAlias = false }: NodePlace): unknown {
    const isRepeated = isInAlias || map.items.some(isMerge);
    const entries: [string, unknown][] = [];
    for (const { key, value } of this.#pairsOf(map, within)) {
      const name = nameOf(key);
      if (!isScalar(key) || key.value === null || name === null) {
        this.#addProblem(path, (key as Node | null) ?? map, 'a key must be plain text');
        continue;
      }
      const position = positionAt(this.#lines, key.range?.[0] ?? 0);
      const place = { path: [...path, name], key: position, within, isRepeated };
      entries.push([name, this.#node(value as Node | null, place)]);
    }
    return Object.fromEntries(entries);
  }

  /** Records the position of a node. An empty value gets the position of its key. */
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
    const isRepeated = place.isRepeated === true || isAlias(node);
    if (isRepeated) this.#repeatedValues += 1;
    if (this.#repeatedValues > maxRepeatedValues) return undefined;
    const resolved = isAlias(node) ? (this.#targets.get(node) ?? null) : node;
    if (isAlias(node) && resolved === null) {
      const message = `there is no anchor "&${node.source}" before this alias`;
      return this.#addProblem(path, node, message);
    }
    if (resolved !== null && within.includes(resolved)) {
      return this.#addProblem(path, node, 'this alias is inside the value that it refers to');
    }
    this.#recordPositions(node, place);
    const around = resolved === null ? within : [...within, resolved];
    const inside = { path, key: null, within: around, isRepeated };
    if (isMap(resolved)) return this.#map(resolved, inside);
    if (isSeq(resolved)) {
      return resolved.items.map((item, index) =>
        this.#node(item as Node | null, { ...inside, path: [...path, index] }),
      );
    }
    return isScalar(resolved) ? resolved.value : null;
  }
}

/** The messages about typical mistakes. The keys are the error codes of the library. */
const codeMessages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'this line is indented with a tab; use spaces',
  DUPLICATE_KEY: 'this key is set twice in the same mapping; keep one of them',
  MULTIPLE_DOCS: 'a second document begins here; a scenario file has one',
  TAG_RESOLVE_FAILED: 'this tag is unknown; a scenario needs none',
  MULTILINE_IMPLICIT_KEY:
    'expected "name: value" or "name:", with a colon and a space or the end of the line after it',
};

/**
 * The messages about mistakes whose error code is not specific enough, because the library uses the code for several
 * mistakes. The keys are the beginnings of the library's messages.
 */
const prefixMessages: Readonly<Record<string, string>> = {
  'Implicit map keys need': 'expected "name: value"; this line has no colon with a space after it',
  'Nested mappings are not allowed':
    'a second colon on this line begins a mapping; put the whole value in quotes if the colon belongs to it',
  'Sequence item without -':
    'expected "- " at the beginning of this line, or as many spaces as the lines above it have',
  'All mapping items must start':
    'this line is indented otherwise than the lines it belongs to; give all of them the same number of spaces',
  'All sequence items must start':
    'this "-" is indented otherwise than the ones above it; give all of them the same number of spaces',
  'Missing , or : between flow sequence items':
    "expected a comma between items; within [ ] an item that contains { } or a comma needs quotes: ['e2e.p95{stage=a} < 1s']",
  'Plain value cannot start with reserved':
    'a value that begins with @ or a backquote needs quotes around it',
  'Plain value cannot start with directive':
    'a value that begins with % needs quotes around it; write ${env:NAME} for an environment variable',
  'Unexpected block-seq-ind':
    'a list with dashes begins on the next line: write each "- " on a line of its own',
  'Flow map in block': 'the { above is not closed: write } at its end',
  'Flow sequence in block': 'the [ above is not closed: write ] at its end',
  'Missing closing': 'this quotation mark has no second one: close it, or leave it out',
  'Maximum call stack size exceeded': 'its lists and mappings are nested too deep',
  'Block collections are not allowed within':
    'expected a comma before the next "name:"; within { } and [ ] each item but the last ends with one',
};

const syntaxMessage = ({ code, message }: YAMLError): string => {
  const prefix = Object.keys(prefixMessages).find((words) => message.startsWith(words));
  return (
    codeMessages[code] ??
    (prefix === undefined ? `not valid YAML: ${message}` : prefixMessages[prefix]!)
  );
};

/** Returns whether the text still has the intended structure after a mistake. */
const keepsStructure = ({ code }: YAMLError): boolean =>
  code === 'DUPLICATE_KEY' || code === 'TAG_RESOLVE_FAILED';

const maxShownErrors = 10;

/**
 * Returns the errors up to and including the first error that changes the structure. The later errors usually follow
 * from this error.
 */
const ownErrors = (errors: readonly YAMLError[]): readonly YAMLError[] => {
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  if (tab !== undefined) return [tab];
  const sorted = errors.toSorted((a, b) => a.pos[0] - b.pos[0]);
  const structural = sorted.findIndex((error) => !keepsStructure(error));
  return structural === -1 ? sorted : sorted.slice(0, structural + 1);
};

const syntaxProblems = (errors: readonly YAMLError[], lines: LineCounter): ScenarioProblem[] => {
  const own = ownErrors(errors);
  const shownProblems = own.slice(0, maxShownErrors).map((error) => {
    const position = positionAt(lines, error.pos[0]);
    return { path: '', ...position, message: syntaxMessage(error), hint: null };
  });
  const more = own.length - shownProblems.length;
  if (more === 0) return shownProblems;
  const message = `and ${more} more ${more === 1 ? 'place' : 'places'} of invalid YAML`;
  return [
    ...shownProblems,
    { path: '', line: null, column: null, flag: null, message, hint: null },
  ];
};

const imported = '`weir import FILE` makes a scenario of it';
const written = '`weir init` writes a first scenario';

/**
 * The kinds of files that are not scenarios, with advice. The first line that is not a comment shows the kind. In JSON,
 * the first two lines show the kind.
 */
const kinds: readonly (readonly [pattern: RegExp, what: string, advice: string])[] = [
  [/^(?:GET|POST|PUT) https?:/, 'targets of vegeta', imported],
  [/^(?:\S+\/)?(?:aiperf|guidellm) /, 'a command line of AIPerf or GuideLLM', imported],
  [
    /^(?:\$ )?(?:\S+\/)?(?:curl|hey|wrk2?|k6|vegeta|vllm|ab|oha) /,
    'a command line of another tool',
    written,
  ],
  [/^(?:from|import) (?:locust|httpx|openai|requests|asyncio|time)\b/, 'a Python script', written],
  [/^import .* from ['"]k6/, 'a script of k6', written],
  [/^config:\s*$/, 'a file of Artillery', written],
  [
    /^\{\s*"format":\s*"(?:result|checkpoint|limits|token-limits)\/\d/,
    'a file that Weir wrote',
    '`weir report FILE` reads it',
  ],
  [/^\{\s*"format":\s*"[\w-]+\/\d/, 'a file that Weir wrote', written],
  [/^\{\s*"log"\s*:/, 'a recording of a browser (HAR)', written],
  [/^\{\s*"info"\s*:/, 'a collection of Postman', written],
  [/^(?:openapi|swagger): /, 'a description of an interface (OpenAPI)', written],
  [/^\w+ = |^\[\w+\]$/, 'TOML', 'write it in YAML, where a key ends in a colon'],
  [/^<\?xml|^<!doctype|^<html/i, 'XML or HTML', written],
];

/** Returns the message about a file that is not a scenario, with advice; `null` if the text may be a scenario. */
const foreignFile = (text: string): string | null => {
  const first = /^[^\S\n]*(?!#|\s)(\{?\s*.*)$/m.exec(text.slice(0, 10_000))?.[1] ?? '';
  const found = kinds.find(([pattern]) => pattern.test(first));
  return found === undefined ? null : `expected a scenario, got ${found[1]}: ${found[2]}`;
};

/**
 * The maximum number of marks in a scenario: lines, commas and opening brackets. Marks within texts count, too. For
 * each other mark, the library needs kilobytes of memory.
 */
const mostMarks = 500_000;

/** Parses the text of a scenario file into a tree. The text is YAML or JSON (which is YAML). */
export const parseScenarioText = (text: string): ParsedTree => {
  if (text.includes('\0')) {
    const message = 'not a text file: expected YAML, JSON or TypeScript, got binary data';
    return {
      tree: null,
      problems: [{ path: '', line: null, column: null, flag: null, message, hint: null }],
    };
  }
  const isLong = text.length > mostMarks && text.replaceAll(/[^\n,[{]+/g, '').length > mostMarks;
  const foreign =
    foreignFile(text) ??
    (isLong
      ? `more than ${mostMarks} lines, commas and brackets: keep prompts in a file of their own`
      : null);
  if (foreign !== null) {
    const place = { path: '', line: 1, column: 1, flag: null };
    return { tree: null, problems: [{ ...place, message: foreign, hint: null }] };
  }
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, uniqueKeys: false };
  const document = parseDocument(text, options);
  const errors = [...document.errors, ...document.warnings, ...repeatedKeys(document)];
  const problems = syntaxProblems(errors, lines);
  // A duplicate key does not change the structure, so the rest of the scenario is checked, too.
  if (errors.some(({ code }) => code !== 'DUPLICATE_KEY')) return { tree: null, problems };
  const reader = new DocumentReader(document, lines);
  const tree = { value: reader.read(), positions: reader.positions };
  const isRead = reader.problems.length === 0;
  return { tree: isRead ? tree : null, problems: [...problems, ...reader.problems] };
};
