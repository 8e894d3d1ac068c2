import type { z } from 'zod';
import { nearest } from './spelling.ts';
import { type Path, valueAtPath, withValueAtPath } from './scenario-tree.ts';

type Issue = z.core.$ZodIssue;

/** The kind that a misspelt one was probably meant to be, and where it stands; `null` for any other issue. */
const suggestedKind = (issue: Issue, value: unknown): { path: Path; kind: string } | null => {
  if (issue.code !== 'invalid_union' || !('options' in issue)) return null;
  const path: Path = issue.path.map((step) => (typeof step === 'symbol' ? '' : step));
  const word = valueAtPath(value, path);
  const kind = typeof word === 'string' ? nearest(word, issue.options.map(String)) : null;
  return kind === null ? null : { path, kind };
};

/**
 * The scenario with the kinds that were probably meant in place of misspelt ones, so that what else is
 * wrong beside them is told in the same round; and the issues that are corrected so, which stay.
 */
export const withSuggestedKinds = (
  written: unknown,
  issues: readonly Issue[],
): { readonly value: unknown; readonly corrected: readonly Issue[] } => {
  let value = written;
  const corrected: Issue[] = [];
  for (const issue of issues) {
    const suggestion = suggestedKind(issue, written);
    if (suggestion === null) continue;
    value = withValueAtPath(value, suggestion.path, suggestion.kind);
    corrected.push(issue);
  }
  return { value, corrected };
};
