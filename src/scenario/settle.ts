import type { z } from 'zod';
import { readScalar } from './override.ts';
import type { Filled } from './template.ts';
import { type Path, pathKey, withValueAt } from './tree.ts';

type Issue = z.core.$ZodIssue;

const within = (path: Path, steps: readonly PropertyKey[]): Path => [
  ...path,
  ...steps.map((step) => (typeof step === 'symbol' ? '' : step)),
];

/** Every type that was expected and not found, unions looked into. */
const typeIssues = (
  issues: readonly Issue[],
  path: Path,
): readonly { at: Path; expected: string }[] =>
  issues.flatMap((issue) => {
    const at = within(path, issue.path);
    if (issue.code === 'invalid_union') {
      return issue.errors.flatMap((branch) => typeIssues(branch, at));
    }
    return issue.code === 'invalid_type' ? [{ at, expected: issue.expected }] : [];
  });

/**
 * An environment variable holds text whatever it means: where the schema expected the other, a
 * number from the environment becomes text again (a model named `1.0`), quoted text a number.
 */
export const settle = (value: unknown, issues: readonly Issue[], { filled }: Filled): unknown =>
  typeIssues(issues, []).reduce((settled, { at, expected }) => {
    const text = filled.get(pathKey(at));
    if (text === undefined) return settled;
    const scalar = expected === 'string' ? text : readScalar(text);
    return typeof scalar === expected ? withValueAt(settled, at, scalar) : settled;
  }, value);
