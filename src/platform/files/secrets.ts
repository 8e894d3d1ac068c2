import { existsSync } from 'node:fs';
import { isAbsolute, resolve, sep } from 'node:path';
import { fillTemplate, type SecretReference, secretReferencesIn } from '../../model/plan/secret.ts';
import { UnusableKey } from '../problem.ts';
import { whyUnreadable } from './file-error-reasons.ts';
import { fileBounds, readTextFile } from './whole-file.ts';

/** The folder of secret files that are named without a path. Container runtimes mount secrets in this folder. */
export const secretsFolder = '/run/secrets';

const valueOf = async (
  reference: SecretReference,
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
): Promise<string> => {
  if (reference.kind === 'env') {
    const value = environment[reference.name];
    if (value !== undefined && value !== '') return value;
    // Docker Swarm provides secrets only as files, so a file may take the place of a variable.
    const mounted = resolve(secretsFolder, reference.name);
    if (existsSync(mounted)) return readSecret(reference.name, folder);
    throw new UnusableKey(
      `the environment variable ${reference.name} is needed for a key or header but is not set: run \`export ${reference.name}=…\` first`,
    );
  }
  if (reference.kind === 'secret') return readSecret(reference.path, folder);
  // The module is imported only here, since few scenarios have a command.
  const { runKeyCommand } = await import('./key-command.ts');
  return runKeyCommand(reference.command, environment, folder);
};

/**
 * Reads a secret file. A name without a path is below /run/secrets, and a relative path is relative to `folder`. Throws
 * a `Problem` if the file cannot be read or its text is not valid in a header.
 */
export const readSecret = async (file: string, folder: string): Promise<string> => {
  const isBareName = !file.includes('/') && !file.includes(sep);
  const path = isAbsolute(file) ? file : resolve(isBareName ? secretsFolder : folder, file);
  const text = await readTextFile(path, fileBounds.secret).catch((error: unknown) => {
    const hint = isBareName ? `; write ./${file} for one in the scenario’s folder` : '';
    throw new UnusableKey(`the secret file ${path} cannot be read: ${whyUnreadable(error)}${hint}`);
  });
  return requireHeaderValue(text.trim(), path);
};

/** Returns `value` if it is valid in a header (RFC 9110, section 5.5); throws a `Problem` otherwise. */
const requireHeaderValue = (value: string, path: string): string => {
  if (value === '')
    throw new UnusableKey(`the secret file ${path} is empty: write the secret into it`);
  if (/^[\t\x20-\x7e]+$/.test(value)) return value;
  throw new UnusableKey(
    `the secret file ${path} contains a line break or a character that headers cannot contain: expected one line of ASCII text`,
  );
};

/**
 * Fills templates with secrets. A reference names an environment variable, a command or a file. A file name without a
 * path is below /run/secrets, and a relative path is relative to `folder`. If a variable is not set, Weir reads the
 * file with the name of the variable below /run/secrets. Throws a `Problem` for the first secret that is not available.
 * `write` turns each secret into the text for the template.
 */
export const resolveSecrets = async (
  templates: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  folder: string,
  write: (value: string) => string = (value) => value,
): Promise<{ readonly filled: readonly string[]; readonly secrets: readonly string[] }> => {
  const known = new Map<string, string>();
  for (const reference of templates.flatMap(secretReferencesIn)) {
    known.set(JSON.stringify(reference), await valueOf(reference, environment, folder));
  }
  return {
    filled: templates.map((template) =>
      fillTemplate(template, (reference) => write(known.get(JSON.stringify(reference)) ?? '')),
    ),
    secrets: [...known.values()],
  };
};
