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
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException;
    throw new Problem(`the secret file ${path} cannot be read: ${code ?? 'unknown error'}`);
  });
  return fitForHeader(text.trim(), path);
};

/** A value that can stand in a header (RFC 9110, section 5.5); a key with a line break would break every request. */
const fitForHeader = (value: string, path: string): string => {
  if (value === '') throw new Problem(`the secret file ${path} is empty: write the secret into it`);
  if (/^[\t\x20-\x7e]+$/.test(value)) return value;
  throw new Problem(
    `the secret file ${path} holds a line break or a character that no header can carry: expected one line of ASCII text`,
  );
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
