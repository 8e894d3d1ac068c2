/**
 * This file fills templates in headers and bodies. `${uuid}` and `${index}` are references to values of a request, and
 * `$${` stands for a literal `${`.
 */

export interface RequestValues {
  /** A UUID that is the same for all attempts of a request, and different in every run. */
  readonly uuid: string;
  /** The request's number in its stage, from 0. */
  readonly index: number;
}

/** Matches `$${` (a literal `${`), or a reference with its name. */
const variablePattern = /\$\$\{|\$\{([^}]*\}?)/g;

const names: readonly string[] = ['uuid', 'index'] satisfies readonly (keyof RequestValues)[];

/** Returns whether filling may change a text. */
export const isRequestTemplate = (text: string): boolean => text.includes('${');

/**
 * Replaces references by the values of a request. An unknown reference stays unchanged; a rule of scenarios rejects
 * unknown references earlier.
 */
export const fillRequestText = (text: string, values: RequestValues): string =>
  isRequestTemplate(text)
    ? text.replace(variablePattern, (whole, name?: string) => {
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

export const filledHeaders = (
  headers: Readonly<Record<string, string>>,
  values: RequestValues,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [name, fillRequestText(text, values)]),
  );

/** Escapes a text, so that filling it as a template returns the original text. */
export const asLiteral = (text: string): string => text.replaceAll('${', () => '$${');

/**
 * Returns a problem that names the first unknown reference of a text; `null` if all references are known. `others` are
 * the kinds of references that have a name after a colon.
 */
export const templateProblem = (text: string, others: readonly string[] = []): string | null => {
  for (const [whole, found] of text.matchAll(variablePattern)) {
    if (found === undefined) continue;
    // A reference without a closing brace counts as unknown.
    const name = found.endsWith('}') ? found.slice(0, -1) : '';
    if (names.includes(name)) continue;
    if (others.some((kind) => name.startsWith(`${kind}:`) && name.length > kind.length + 1))
      continue;
    const known = [...names, ...others.map((kind) => `${kind}:…`)].map((each) => `\${${each}}`);
    return `${whole.slice(0, 40)} is unknown: expected ${known.join(' or ')}; write $\${ for a literal \${`;
  }
  return null;
};

export const requestReference = /(?<!\$)\$\{(?:uuid|index)\}/g;

/**
 * The following code handles references to secrets, such as `${env:NAME}` or `${secret:PATH}`. A secret is read only
 * when the head of a request is built.
 */

export type SecretReference =
  | { readonly kind: 'env'; readonly name: string }
  /**
   * A command that prints the secret. `lifetime` is the time in ms after which the command runs again: `null` for
   * never, NaN if the text of the lifetime is unreadable.
   */
  | { readonly kind: 'command'; readonly command: string; readonly lifetime: number | null }
  | { readonly kind: 'secret'; readonly path: string };

/** Matches a reference to a secret. A reference after a further `$` is a literal and does not match. */
const pattern = /(?<!\$)\$\{(env|secret|command):([^}]+)\}/g;

const lengths: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000 };

/** Reads a command such as `gcloud auth print-access-token; lifetime=50m`. */
const commandOf = (text: string): SecretReference => {
  const [, command = text, lifetime] = /^(.*?)(?:;\s*lifetime\s*=([^;]*))?$/s.exec(text) ?? [];
  const [, count, unit = ''] = /^\s*(\d{1,5})(s|m|h)\s*$/.exec(lifetime ?? '') ?? [];
  const read = count === undefined ? Number.NaN : Number(count) * lengths[unit]!;
  return {
    kind: 'command',
    command: command.trim(),
    lifetime: lifetime === undefined ? null : read > 0 ? read : Number.NaN,
  };
};

const referenceOf = (kind: string | undefined, name = ''): SecretReference => {
  if (kind === 'command') return commandOf(name);
  return kind === 'env' ? { kind, name } : { kind: 'secret', path: name };
};

export const secretReferencesIn = (template: string): readonly SecretReference[] =>
  Array.from(template.matchAll(pattern), ([, kind, name]) => referenceOf(kind, name));

export const fillTemplate = (
  template: string,
  value: (reference: SecretReference) => string,
): string =>
  template.replace(pattern, (_, kind: string, name: string) => value(referenceOf(kind, name)));

const shownReferences = new RegExp(`${pattern.source}|${requestReference.source}`, 'g');

export const redacted = '[redacted]';

/**
 * Returns only the references of a template. The text around the references is left out, because this text may be part
 * of the secret.
 */
export const redactedTemplate = (template: string): string =>
  template.match(shownReferences)?.join(' ') ?? redacted;

/** The minimum length of a masked secret. Shorter values also occur in ordinary text. */
const shortestSecret = 6;

const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);

/** Removes one level of escapes of JSON, JavaScript or URLs. */
const unescapedOnce = (text: string): string =>
  text
    .replaceAll(/\\([/"\\])/g, '$1')
    .replace(/(?:\\u([\da-f]{4})|(?:\\x|%)([\da-f]{2}))/gi, (_, long: string, short: string) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    );

/** Removes up to three levels of escapes, for example of JSON inside JSON. */
const unescaped = (text: string): string => unescapedOnce(unescapedOnce(unescapedOnce(text)));

/**
 * Returns the texts that base64 can contain for a secret: for each position, modulo 3, at which the secret may begin,
 * one text of base64 and one text of base64url. The base64 of any text that contains the secret contains one of the
 * returned texts.
 */
const base64Forms = (secret: string): readonly string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, to));
  });

/**
 * Creates a function that replaces secrets of at least six characters by `[redacted]`. The function finds a secret in
 * plain text, in JSON, percent-encoded, with characters written as \uXXXX or \xXX, and inside base64.
 */
export const redactor = (secrets: readonly string[]): ((text: string) => string) => {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  const forms = known.flatMap((secret) => [secret, inJson(secret), ...base64Forms(secret)]);
  const distinct = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const starts = new Set(distinct.map((form) => form.slice(0, shortestSecret)));
  /** Returns whether a text may contain a secret. The time of the check does not depend on the number of secrets. */
  const mayContain = (text: string): boolean => {
    for (let at = 0; at + shortestSecret <= text.length; at += 1)
      if (starts.has(text.slice(at, at + shortestSecret))) return true;
    return false;
  };
  const mask = (text: string): string =>
    distinct.length > text.length && !mayContain(text)
      ? text
      : distinct.reduce(
          // `includes` comes first, since it is fast and most texts, such as ids of responses, contain no secret.
          (masked, form) => (masked.includes(form) ? masked.replaceAll(form, redacted) : masked),
          text,
        );
  return (text) => {
    if (!/[\\%]/.test(text)) return mask(text);
    const plain = unescaped(text);
    const isHidden = plain !== text && distinct.some((form) => plain.includes(form));
    return mask(isHidden ? plain : text);
  };
};

/** Returns a `redactor` for a list of secrets. The list may grow, because keys are renewed during a run. */
export const growingRedactor = (secrets: readonly string[]): ((text: string) => string) => {
  let known = secrets.length;
  let redact = redactor(secrets);
  return (text) => {
    if (secrets.length !== known) {
      known = secrets.length;
      redact = redactor(secrets);
    }
    return redact(text);
  };
};
