import type { z } from 'zod';
import { parseScalar } from './overrides.ts';
import type { FilledScenario } from './environment-template.ts';
import { type Path, pathKey, withValueAtPath } from './scenario-tree.ts';

type Issue = z.core.$ZodIssue;

const issuePath = (path: Path, steps: readonly PropertyKey[]): Path => [
  ...path,
  ...steps.map((step) => (typeof step === 'symbol' ? '' : step)),
];

/** Every type that was expected and not found, unions looked into. */
const typeIssues = (
  issues: readonly Issue[],
  path: Path,
): readonly { at: Path; expected: string }[] =>
  issues.flatMap((issue) => {
    const at = issuePath(path, issue.path);
    if (issue.code === 'invalid_union') {
      return issue.errors.flatMap((branch) => typeIssues(branch, at));
    }
    return issue.code === 'invalid_type' ? [{ at, expected: issue.expected }] : [];
  });

/**
 * An environment variable holds text whatever it means: where the schema expected the other, a
 * number from the environment becomes text again (a model named `1.0`), quoted text a number.
 */
export const coerceEnvironment = (
  value: unknown,
  issues: readonly Issue[],
  { environmentValues }: FilledScenario,
): unknown =>
  typeIssues(issues, []).reduce((coerced, { at, expected }) => {
    const text = environmentValues.get(pathKey(at));
    if (text === undefined) return coerced;
    const scalar = expected === 'string' ? text : parseScalar(text);
    return typeof scalar === expected ? withValueAtPath(coerced, at, scalar) : coerced;
  }, value);
