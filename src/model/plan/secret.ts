import { requestReference } from './request-template.ts';

/** Secrets stay templates, such as `${env:NAME}` or `${secret:PATH}`, until a request head is built. */

/** An environment variable, the whole text of a file, or what a command prints. */
export type SecretReference =
  | { readonly kind: 'env'; readonly name: string }
  /** `lifetime` is after how many ms the command runs again; `null` for never, NaN if it cannot be read. */
  | { readonly kind: 'command'; readonly command: string; readonly lifetime: number | null }
  | { readonly kind: 'secret'; readonly path: string };

/** Matches a reference, unless a further `$` makes it a literal. */
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

/** Returns the references of a template, without the text around them, which can be half of the secret. */
export const redactedTemplate = (template: string): string =>
  template.match(shownReferences)?.join(' ') ?? redacted;

/** Shorter values are too common in ordinary text. */
const shortestSecret = 6;

const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);

/** Undoes the escapes that JSON, JavaScript or a URL may have. */
const unescapedOnce = (text: string): string =>
  text
    .replaceAll(/\\([/"\\])/g, '$1')
    .replace(/(?:\\u([\da-f]{4})|(?:\\x|%)([\da-f]{2}))/gi, (_, long: string, short: string) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    );

/** Undoes escapes within escapes too, as in JSON inside JSON. */
const unescaped = (text: string): string => unescapedOnce(unescapedOnce(unescapedOnce(text)));

/** Returns what the base64 of any text with the secret contains, by the three places where it can begin. */
const base64Forms = (secret: string): readonly string[] =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, to));
  });

/**
 * Creates a function that replaces secrets of at least six characters with `[redacted]`: in plain text, in JSON,
 * percent-encoded, with characters as \uXXXX or \xXX, and inside base64.
 */
export const redactor = (secrets: readonly string[]): ((text: string) => string) => {
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  const forms = known.flatMap((secret) => [secret, inJson(secret), ...base64Forms(secret)]);
  const distinct = [...new Set(forms)].toSorted((a, b) => b.length - a.length);
  const starts = new Set(distinct.map((form) => form.slice(0, shortestSecret)));
  /** Decides quickly, whatever the number of forms. Most texts have none. */
  const mayContain = (text: string): boolean => {
    for (let at = 0; at + shortestSecret <= text.length; at += 1)
      if (starts.has(text.slice(at, at + shortestSecret))) return true;
    return false;
  };
  const mask = (text: string): string =>
    distinct.length > text.length && !mayContain(text)
      ? text
      : distinct.reduce(
          // Most texts, the ids of responses for example, contain none.
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

/** Returns a `redactor` of a list of secrets that may grow, since keys are renewed during a run. */
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
