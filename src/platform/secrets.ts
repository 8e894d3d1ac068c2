import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { Problem } from './problem.ts';
import { fillTemplate, type Reference, references } from '../model/secret.ts';

/** Where bare secret names are looked up: the place in which container runtimes mount them. */
const secretsFolder = '/run/secrets';

const valueOf = async (
  reference: Reference,
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<string> => {
  if (reference.kind === 'env') {
    const value = environment[reference.name];
    if (value !== undefined && value !== '') return value;
    throw new Problem(
      `the environment variable ${reference.name} is needed for a key or header and is not set: run \`export ${reference.name}=…\` first`,
    );
  }
  const bare = !reference.path.includes('/');
  const path = isAbsolute(reference.path)
    ? reference.path
    : resolve(bare ? secretsFolder : folder, reference.path);
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    throw new Problem(
      `the secret file ${path} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
    );
  }
};

/**
 * Fills templates with what their references stand for: environment variables, or files (a bare
 * name below /run/secrets, a path relative to `folder`). Throws a `Problem` on the first
 * that cannot be had.
 */
export const resolveSecrets = async (
  templates: readonly string[],
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<{ readonly filled: readonly string[]; readonly secrets: readonly string[] }> => {
  const known = new Map<string, string>();
  const nameOf = (reference: Reference): string =>
    `${reference.kind}:${reference.kind === 'env' ? reference.name : reference.path}`;
  for (const reference of templates.flatMap(references)) {
    known.set(nameOf(reference), await valueOf(reference, environment, folder));
  }
  return {
    filled: templates.map((template) =>
      fillTemplate(template, (reference) => known.get(nameOf(reference)) ?? ''),
    ),
    secrets: [...known.values()],
  };
};
