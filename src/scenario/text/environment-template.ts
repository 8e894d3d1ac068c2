import { asLiteral, fillTemplate, secretReferencesIn } from '../../model/plan/secret.ts';
import { parseScalar } from './overrides.ts';
import type { ScenarioFinding } from './scenario-problem.ts';
import {
  type Path,
  pathInPart,
  pathKey,
  type ScenarioTree,
  withEachValue,
} from './scenario-tree.ts';

/**
 * The variables that `${env:NAME}` can name. The caller passes the variables, since code in this folder does not read
 * the environment.
 */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface FilledScenario {
  readonly tree: ScenarioTree;
  readonly findings: readonly ScenarioFinding[];
  /**
   * The values that came from the environment. The keys are made by `pathKey`. No message shows these values, since a
   * value may be a secret in the wrong place.
   */
  readonly environmentValues: ReadonlyMap<string, string>;
}

/** Templates in these fields are not filled, since they stand for secrets, and a plan must never contain a secret. */
const fieldsWithTemplates: ReadonlySet<unknown> = new Set(['keys', 'headers']);

/**
 * Returns whether a value belongs to the body of a request. Templates in a body are filled separately for each request.
 */
const isInBody = (path: Path): boolean =>
  path[0] === 'body' || (path.includes('traffic') && path[path.indexOf('traffic') + 2] === 'body');

/** Removes the first `$` of escapes such as `$${env:NAME}`. */
const withoutEscapes = (text: string): string =>
  text.replaceAll(/\$(?=\$\{(?:env|secret|command):)/g, '');

/**
 * Returns the value of a variable; `null` if it is missing or empty, since a shell replaces an unset variable by an
 * empty text.
 */
export const environmentVariable = (environment: Environment, name: string): string | null => {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined || value === '' ? null : value;
};

export const missingVariableFinding = (path: Path, name: string): ScenarioFinding => ({
  path,
  part: 'value',
  message: `the environment variable ${name} is not set`,
  hint: /^[A-Za-z_]\w*$/.test(name)
    ? `set it before the run, for example: export ${name}=…`
    : `names of variables have letters, digits and _ only: ${name.replaceAll(/\W/g, '_')}`,
});

/** Replaces every `${env:NAME}` outside keys and headers by the value of the variable. */
export const fillEnvironment = (tree: ScenarioTree, environment: Environment): FilledScenario => {
  const findings: ScenarioFinding[] = [];
  const environmentValues = new Map<string, string>();

  const fillText = (text: string, path: Path): unknown => {
    const isBody = isInBody(path);
    const found = secretReferencesIn(text);
    if (found.length === 0) return isBody ? text : withoutEscapes(text);
    const filled = fillTemplate(text, (reference) => {
      if (reference.kind === 'env') {
        const value = environmentVariable(environment, reference.name);
        if (value === null) findings.push(missingVariableFinding(path, reference.name));
        return isBody ? asLiteral(value ?? '') : (value ?? '');
      }
      const message = `\${${reference.kind}:…} is only allowed in keys${reference.kind === 'secret' ? ' and headers' : ''}`;
      const hint = 'write ${env:NAME} for a value that is not secret';
      findings.push({ path, part: 'value', message, hint });
      return '';
    });
    const result = isBody ? filled : withoutEscapes(filled);
    environmentValues.set(pathKey(path), result);
    const isWholeTemplate = found.length === 1 && /^\$\{[^}]+\}$/.test(text);
    return isWholeTemplate && tree.positions.get(pathKey(path))?.isPlainScalar === true
      ? parseScalar(result)
      : result;
  };

  const fill = (value: unknown, path: Path): unknown => {
    if (typeof value === 'string') return fillText(value, path);
    return withEachValue(value, (inner, step) =>
      pathInPart(path).length === 0 && fieldsWithTemplates.has(step)
        ? inner
        : fill(inner, [...path, step]),
    );
  };
  return {
    tree: { value: fill(tree.value, []), positions: tree.positions },
    findings,
    environmentValues,
  };
};
