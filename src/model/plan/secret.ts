/**
 * Secrets stay templates until a request head is built: plans, results and reports contain
 * `${env:NAME}` or `${secret:PATH}`, never the values.
 */

/** An environment variable, or the whole text of a file. */
export type SecretReference =
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'secret'; readonly path: string };

const pattern = /\$\{(env|secret):([^}]+)\}/g;

const referenceOf = (kind: string | undefined, name = ''): SecretReference =>
  kind === 'env' ? { kind, name } : { kind: 'secret', path: name };

export const secretReferencesIn = (template: string): readonly SecretReference[] =>
  Array.from(template.matchAll(pattern), ([, kind, name]) => referenceOf(kind, name));

export const fillTemplate = (
  template: string,
  value: (reference: SecretReference) => string,
): string =>
  template.replace(pattern, (_, kind: string, name: string) => value(referenceOf(kind, name)));

/** Replaces a secret in every output. */
export const redacted = '[redacted]';

/**
 * The printable part of a template: its references only, since the text around them can be the other
 * half of the secret. A template without references becomes `[redacted]`.
 */
export const redactedTemplate = (template: string): string =>
  template.match(pattern)?.join(' ') ?? redacted;

/** Shorter values are too common in ordinary text. */
const shortestSecret = 6;

const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);

/**
 * Returns a function that replaces `secrets` of at least six characters with `[redacted]`, in plain
 * text and in JSON, where quotes and backslashes are escaped.
 */
export const redactor = (secrets: readonly string[]): ((text: string) => string) => {
  const known = [...new Set(secrets.flatMap((secret) => [secret, inJson(secret)]))]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((masked, secret) => masked.replaceAll(secret, redacted), text);
};
