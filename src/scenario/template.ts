import { fillTemplate, references } from '../model/secret.ts';
import { readScalar } from './override.ts';
import type { Finding } from './problem.ts';
import { isMapping, type Path, pathKey, type Tree } from './tree.ts';

/** The variables that `${env:NAME}` reads; handed in, since a scenario touches no world. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface Filled {
  readonly tree: Tree;
  readonly findings: readonly Finding[];
  /** What the environment gave, by `pathKey`: shown to nobody, since it may be a secret put in the wrong place. */
  readonly filled: ReadonlyMap<string, string>;
}

/** Here templates stay templates: they stand for secrets, which a plan never holds. */
const keptLate: ReadonlySet<unknown> = new Set(['keys', 'headers']);

/** The variable's value; an empty one counts as missing, as an unset shell variable expands to it. */
export const variable = (environment: Environment, name: string): string | null => {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined || value === '' ? null : value;
};

export const missingVariable = (path: Path, name: string): Finding => ({
  path,
  part: 'value',
  message: `the environment variable ${name} is not set`,
  hint: `set it before the run, for example: export ${name}=…`,
});

/** Every `${env:NAME}` outside keys and headers, replaced by its value. */
export const fillEnvironment = (tree: Tree, environment: Environment): Filled => {
  const findings: Finding[] = [];
  const filled = new Map<string, string>();

  const fillText = (text: string, path: Path): unknown => {
    const found = references(text);
    if (found.length === 0) return text;
    const result = fillTemplate(text, (reference) => {
      if (reference.kind === 'env') {
        const value = variable(environment, reference.name);
        if (value === null) findings.push(missingVariable(path, reference.name));
        return value ?? '';
      }
      findings.push({
        path,
        part: 'value',
        message: '${secret:…} can stand in keys and headers only',
        hint: 'write ${env:NAME} for what is no secret',
      });
      return '';
    });
    filled.set(pathKey(path), result);
    const alone = found.length === 1 && /^\$\{[^}]+\}$/.test(text);
    return alone && tree.marks.get(pathKey(path))?.plain === true ? readScalar(result) : result;
  };

  const fill = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return fillText(value, path);
    if (Array.isArray(value)) return value.map((item, index) => fill(item, [...path, index]));
    if (!isMapping(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [
        key,
        path.length === 0 && keptLate.has(key) ? inner : fill(inner, [...path, key]),
      ]),
    );
  };
  return { tree: { value: fill(tree.value, []), marks: tree.marks }, findings, filled };
};
