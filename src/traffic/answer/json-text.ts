/**
 * The maximum number of nested levels in a document. The answers of gateways have fewer levels. Parsing a document with
 * more levels takes far more stack and memory than its size suggests.
 */
const maxDepth = 500;

const quote = 34;
const backslash = 92;

const isOpening = (code: number): boolean => code === 91 || code === 123;
const isClosing = (code: number): boolean => code === 93 || code === 125;

const comma = 44;

/** Returns whether a JSON text has more than `maxDepth` levels, or more than `maxCommas` commas between its values. */
export const isTooComplex = (text: string, maxCommas = Number.POSITIVE_INFINITY): boolean => {
  // Each level takes two characters, an opening and a closing bracket, so a short text cannot have too many levels.
  // Most answers are short.
  if (text.length <= 2 * maxDepth) return false;
  let depth = 0;
  let commas = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInString) {
      if (code === backslash) at += 1;
      else if (code === quote) isInString = false;
    } else if (code === quote) isInString = true;
    else if (code === comma) {
      commas += 1;
      if (commas > maxCommas) return true;
    } else if (isOpening(code)) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (isClosing(code)) depth -= 1;
  }
  return false;
};

/** Returns a value of a JSON document as an object with fields; `null` if the value is a list or not an object. */
export const objectOf = (value: unknown): Readonly<Record<string, unknown>> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;

/** Returns the data of the first SSE event in a text; undefined if the text contains no event. */
export const firstEventData = (text: string): string | undefined =>
  /^data: ?(.*)$/m.exec(text)?.[1];

/**
 * Parses a JSON text from a server. Returns undefined if the text is not JSON, has too many levels, or has more than
 * about `maxValues` values.
 */
export const jsonIn = (text: string, maxValues?: number): unknown => {
  if (isTooComplex(text, maxValues)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Matches the parts of a Python literal that JSON writes differently: texts, and the words for constants. */
const pythonParts = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|\b(?:None|True|False)\b/gs;
const pythonConstants: Readonly<Record<string, string>> = {
  None: 'null',
  True: 'true',
  False: 'false',
};
const pythonEscapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

const pythonText = (text: string): string =>
  text.replaceAll(/\\(?:[xu]([\da-f]{2,4})|(.))/gis, (_, code?: string, character?: string) =>
    code === undefined
      ? (pythonEscapes[character!] ?? character!)
      : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** The maximum length of a Python dictionary that is read. Errors are shorter than this maximum. */
const maxPythonLength = 8192;

/**
 * Parses a printed Python dictionary: `{'error': {'message': 'full', 'code': None}}`. A server sends this form if its
 * code lacks a call of `json.dumps` (sysid/sse-starlette, issue 21). Returns undefined for any other text. Callers read
 * only errors from this form, because no client accepts it as an answer.
 */
export const pythonDictionaryIn = (text: string): unknown => {
  if (text.length > maxPythonLength || !/^\s*\{\s*'/.test(text)) return undefined;
  return jsonIn(
    text.replaceAll(pythonParts, (part: string, single?: string, double?: string) => {
      const quoted = single ?? double;
      return quoted === undefined ? pythonConstants[part]! : JSON.stringify(pythonText(quoted));
    }),
  );
};
