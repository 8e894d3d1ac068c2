import { fillTemplate, secretReferencesIn } from '../../model/plan/secret.ts';
import { parseScalar } from './overrides.ts';
import type { ScenarioFinding } from './scenario-problem.ts';
import { type Path, pathKey, type ScenarioTree, withEachValue } from './scenario-tree.ts';

/** The variables that `${env:NAME}` reads; handed in, since a scenario touches no world. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface FilledScenario {
  readonly tree: ScenarioTree;
  readonly findings: readonly ScenarioFinding[];
  /** What the environment gave, by `pathKey`: shown to nobody, since it may be a secret put in the wrong place. */
  readonly environmentValues: ReadonlyMap<string, string>;
}

/** Here templates stay templates: they stand for secrets, which a plan never holds. */
const fieldsWithTemplates: ReadonlySet<unknown> = new Set(['keys', 'headers']);

/** The variable's value; an empty one counts as missing, as an unset shell variable expands to it. */
export const environmentVariable = (environment: Environment, name: string): string | null => {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined || value === '' ? null : value;
};

export const missingVariableFinding = (path: Path, name: string): ScenarioFinding => ({
  path,
  part: 'value',
  message: `the environment variable ${name} is not set`,
  hint: `set it before the run, for example: export ${name}=…`,
});

/** Every `${env:NAME}` outside keys and headers, replaced by its value. */
export const fillEnvironment = (tree: ScenarioTree, environment: Environment): FilledScenario => {
  const findings: ScenarioFinding[] = [];
  const environmentValues = new Map<string, string>();

  const fillText = (text: string, path: Path): unknown => {
    const found = secretReferencesIn(text);
    if (found.length === 0) return text;
    const result = fillTemplate(text, (reference) => {
      if (reference.kind === 'env') {
        const value = environmentVariable(environment, reference.name);
        if (value === null) findings.push(missingVariableFinding(path, reference.name));
        return value ?? '';
      }
      const message = '${secret:…} is only allowed in keys and headers';
      const hint = 'write ${env:NAME} for a value that is not secret';
      findings.push({ path, part: 'value', message, hint });
      return '';
    });
    environmentValues.set(pathKey(path), result);
    const isWholeTemplate = found.length === 1 && /^\$\{[^}]+\}$/.test(text);
    return isWholeTemplate && tree.positions.get(pathKey(path))?.isPlainScalar === true
      ? parseScalar(result)
      : result;
  };

  const fill = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return fillText(value, path);
    return withEachValue(value, (inner, step) =>
      path.length === 0 && fieldsWithTemplates.has(step) ? inner : fill(inner, [...path, step]),
    );
  };
  return {
    tree: { value: fill(tree.value, []), positions: tree.positions },
    findings,
    environmentValues,
  };
};
