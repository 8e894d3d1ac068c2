import { z } from 'zod';
import { type Scenario, scenarioSchema } from '../schema/scenario-schema.ts';
import type { FilledScenario } from './environment-template.ts';
import type { ScenarioFinding } from './scenario-problem.ts';
import { ScenarioPart } from './scenario-part.ts';
import { type Path, pathKey } from './scenario-tree.ts';
import {
  findingsOfIssue,
  issuePath,
  misspeltKindFinding,
  schemaIssueMessage,
} from './schema-findings.ts';
import { prepareForSchema } from './schema-walk.ts';
import { withDurationFrom } from './at-most.ts';

interface ParsedScenario {
  readonly scenario: ScenarioPart<Scenario>;
  readonly findings: readonly ScenarioFinding[];
}

/** After an issue with one of these codes, the schema still parses the inner parts of the faulty value. */
const codesKeepingInner = new Set(['too_small', 'too_big', 'unrecognized_keys', 'custom']);

/**
 * Returns the path of the value that the schema did not parse because of an issue; `null` if the schema parsed all
 * values.
 */
const unparsedPath = (issue: z.core.$ZodIssue, path: Path): Path | null => {
  if (codesKeepingInner.has(issue.code)) return null;
  const isWrongKind = issue.code === 'invalid_union' && issue.discriminator !== undefined;
  return isWrongKind ? path.slice(0, -1) : path;
};

/**
 * Parses a filled scenario with the schema. The library's `safeParse` returns no values if a field is faulty. So this
 * function calls the core of the library, which returns the valid fields.
 */
export const parseScenario = (filled: FilledScenario): ParsedScenario => {
  const { value: prepared, misspeltKinds } = prepareForSchema(filled);
  const value = withDurationFrom(prepared);
  const issueContext = { value, environmentValues: filled.environmentValues };
  const context = { async: false, jitless: true, error: schemaIssueMessage };
  const { _zod: core } = scenarioSchema;
  const payload = core.run({ value, issues: [] }, context);
  if (payload instanceof Promise) throw new Error('the schema of scenarios must be synchronous');
  const issues = payload.issues.map((issue) =>
    z.core.util.finalizeIssue(issue, context, z.core.config()),
  );
  const faulty = new Set<string>();
  const unparsed = new Set<string>();
  for (const issue of issues) {
    const path = issuePath(issue);
    for (const length of [...path.keys(), path.length]) faulty.add(pathKey(path.slice(0, length)));
    const below = unparsedPath(issue, path);
    if (below !== null) unparsed.add(pathKey(below));
  }
  return {
    scenario: new ScenarioPart({ filled, written: value, parsed: payload.value, faulty, unparsed }),
    findings: [
      ...misspeltKinds.map((kind) => misspeltKindFinding(kind, issueContext)),
      ...issues.flatMap((issue) => findingsOfIssue(issue, issueContext)),
    ],
  };
};
