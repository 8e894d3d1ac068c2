/**
 * Secrets stay templates until a request head is built: a plan, a result and a report hold
 * `${env:NAME}` or `${secret:PATH}`, never what they stand for.
 */

/** Where a template's value comes from: an environment variable, or the whole text of a file. */
export type SecretReference =
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'secret'; readonly path: string };

const pattern = /\$\{(env|secret):([^}]+)\}/g;

/** All references in a template, in order. */
export const secretReferencesIn = (template: string): readonly SecretReference[] =>
  [...template.matchAll(pattern)].map(([, kind, name = '']) =>
    kind === 'env' ? { kind: 'env', name } : { kind: 'secret', path: name },
  );

/** The template with every reference replaced by what `value` gives for it. */
export const fillTemplate = (
  template: string,
  value: (reference: SecretReference) => string,
): string =>
  template.replace(pattern, (_, kind: string, name: string) =>
    value(kind === 'env' ? { kind: 'env', name } : { kind: 'secret', path: name }),
  );

/** What stands in place of a secret wherever text leaves the house. */
export const redacted = '[redacted]';

/**
 * What may be shown of a template: its references only, since whatever was typed around them may be
 * the secret's other half. A template without any is a literal and becomes `[redacted]`.
 */
export const redactedTemplate = (template: string): string => {
  const named = secretReferencesIn(template).map((reference) =>
    reference.kind === 'env' ? `\${env:${reference.name}}` : `\${secret:${reference.path}}`,
  );
  return named.length === 0 ? redacted : named.join(' ');
};

/** Shorter values are too common in ordinary text to be masked safely. */
const shortestSecret = 6;

/** As a secret stands inside a JSON text, where quotes and backslashes are escaped. */
const inJson = (secret: string): string => JSON.stringify(secret).slice(1, -1);

/**
 * A function that replaces every occurrence of any of `secrets` (at least six characters long) by
 * `[redacted]`, in plain text and in JSON text alike.
 */
export const redactor = (secrets: readonly string[]): ((text: string) => string) => {
  const known = [...new Set(secrets.flatMap((secret) => [secret, inJson(secret)]))]
    .filter((secret) => secret.length >= shortestSecret)
    .toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((masked, secret) => masked.replaceAll(secret, redacted), text);
};
