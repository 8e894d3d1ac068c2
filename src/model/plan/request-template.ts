/**
 * Headers and bodies are templates: `${uuid}` and `${index}` stand for values of each request, and `$${` is written for
 * a literal `${`.
 */

/** The values of one request. */
export interface RequestValues {
  /** The same for all attempts of a request, and different in every run. */
  readonly uuid: string;
  /** The request's number in its stage, from 0. */
  readonly index: number;
}

/** Matches a literal `${`, or a reference with its name. */
const pattern = /\$\$\{|\$\{([^}]*\}?)/g;

const names: readonly string[] = ['uuid', 'index'] satisfies readonly (keyof RequestValues)[];

/** Decides whether a text changes when it is filled. */
export const isRequestTemplate = (text: string): boolean => text.includes('${');

/** Replaces references by the values of a request. Others stay, since a rule has refused them. */
export const fillRequestText = (text: string, values: RequestValues): string =>
  isRequestTemplate(text)
    ? text.replace(pattern, (whole, name?: string) => {
        if (whole === '$${') return '${';
        if (name === 'uuid}') return values.uuid;
        return name === 'index}' ? String(values.index) : whole;
      })
    : text;

/** Replaces references in every text of a JSON value. */
export const fillRequestJson = (value: unknown, values: RequestValues): unknown => {
  if (typeof value === 'string') return fillRequestText(value, values);
  if (Array.isArray(value)) return value.map((item) => fillRequestJson(item, values));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, fillRequestJson(inner, values)]),
  );
};

/** Replaces references in the values of headers. */
export const filledHeaders = (
  headers: Readonly<Record<string, string>>,
  values: RequestValues,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, fillRequestText(text, values)]),
  );

/** Makes a text that is filled as it is. */
export const asLiteral = (text: string): string => text.replaceAll('${', () => '$${');

/** Says which reference of a text is unknown; `null` if none is. `others` are the kinds that have a name after a colon. */
export const templateProblem = (text: string, others: readonly string[] = []): string | null => {
  for (const [whole, found] of text.matchAll(pattern)) {
    if (found === undefined) continue;
    // One that is not closed is unknown.
    const name = found.endsWith('}') ? found.slice(0, -1) : '';
    if (names.includes(name)) continue;
    if (others.some((kind) => name.startsWith(`${kind}:`) && name.length > kind.length + 1))
      continue;
    const known = [...names, ...others.map((kind) => `${kind}:…`)].map((each) => `\${${each}}`);
    return `${whole.slice(0, 40)} is unknown: expected ${known.join(' or ')}; write $\${ for a literal \${`;
  }
  return null;
};

/** Matches the references to the values of a request. */
export const requestReference = /(?<!\$)\$\{(?:uuid|index)\}/g;
