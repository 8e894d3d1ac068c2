import { defaultKeyTemplate } from '../schema/default-key.ts';
import { framingFields, isFieldName, isFieldValue } from '../../model/observation/header-fields.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import {
  type Environment,
  missingVariableFinding,
  environmentVariable,
} from '../text/environment-template.ts';
import { isMapping, type Path } from '../text/scenario-tree.ts';

const wholeReference = /^\$\{(env|secret):[^}]+\}$/;
const withoutReferences = (text: string): string =>
  text.replaceAll(/\$\{(env|secret):[^}]+\}/g, '');

const finding = (path: Path, message: string, hint: string | null): ScenarioFinding => ({
  path,
  part: 'value',
  message,
  hint,
});

/** What the variables of a template lack. */
const variableFindings = (
  path: Path,
  template: string,
  environment: Environment,
): ScenarioFinding[] =>
  secretReferencesIn(template).flatMap((reference) => {
    if (reference.kind !== 'env') return [];
    const value = environmentVariable(environment, reference.name);
    if (value === null) return [missingVariableFinding(path, reference.name)];
    return isFieldValue(value)
      ? []
      : [
          finding(
            path,
            `the environment variable ${reference.name} holds a line break or another character that no header can carry`,
            'set it to the bare value',
          ),
        ];
  });

const keyFindings = (
  path: Path,
  key: unknown,
  environment: Environment | null,
): ScenarioFinding[] => {
  if (typeof key === 'string' && wholeReference.test(key)) {
    return environment === null ? [] : variableFindings(path, key, environment);
  }
  if (typeof key !== 'string' || key === '') return [];
  return [
    finding(
      path,
      secretReferencesIn(key).length > 0
        ? 'a key is one reference and nothing beside it: Weir adds the word Bearer itself'
        : 'a key does not belong in a scenario file',
      'write ${env:NAME} to take it from an environment variable, or ${secret:PATH} to read it from a file',
    ),
  ];
};

/** What is wrong with `keys`; `environment` is `null` when the target brings keys of its own. */
export const keyRuleFindings = (
  scenario: unknown,
  environment: Environment | null,
): ScenarioFinding[] => {
  const keys = isMapping(scenario) ? scenario['keys'] : undefined;
  if (keys === undefined) {
    if (environment === null) return [];
    if (environmentVariable(environment, 'WEIR_API_KEY') !== null) {
      return variableFindings(['target'], defaultKeyTemplate, environment);
    }
    return [
      finding(
        ['target'],
        'there is no key for this target: the environment variable WEIR_API_KEY is not set',
        'set it before the run (export WEIR_API_KEY=…), or say under "keys" where the keys are',
      ),
    ];
  }
  if (!Array.isArray(keys)) return keyFindings(['keys'], keys, environment);
  return keys.flatMap((entry: unknown, index) =>
    isMapping(entry)
      ? keyFindings(['keys', index, 'key'], entry['key'], environment)
      : // A list of bare keys has the wrong shape, and a typed key in it is the graver mistake.
        keyFindings(['keys', index], entry, environment),
  );
};

const secretName = /auth|api-?key|token|secret|cookie|password|credential/;
const secretValue = /^(?:bearer|basic)\s+\S|^sk-/i;
/** A scheme (`Bearer`) or a cookie's name may stand beside a reference, a key may not. */
const longWordPattern = /[\w-]{16,}/;

const headerFindings = (
  path: Path,
  value: unknown,
  environment: Environment,
): ScenarioFinding[] => {
  const name = String(path.at(-1)).toLowerCase();
  const findings: ScenarioFinding[] = [];
  if (!isFieldName(name)) {
    findings.push({ ...finding(path, 'this is not a header name', null), part: 'key' });
  }
  if (framingFields.has(name) || name === 'x-request-id') {
    const message = `Weir sets the header "${name}" itself`;
    findings.push({ ...finding(path, message, 'leave it out'), part: 'key' });
  }
  if (typeof value !== 'string') return findings;
  if (!isFieldValue(value)) {
    findings.push(
      finding(
        path,
        'this value holds a line break or another character that no header can carry',
        null,
      ),
    );
  }
  const remainder = withoutReferences(value);
  const hasNoReference = secretReferencesIn(value).length === 0;
  const secret = secretName.test(name)
    ? hasNoReference || longWordPattern.test(remainder)
    : secretValue.test(remainder);
  if (secret) {
    const message = `the value of the header "${name}" does not belong in a scenario file`;
    const hint = 'write ${env:NAME} or ${secret:PATH} for it, for example Bearer ${env:NAME}';
    findings.push(finding(path, message, hint));
  }
  return [...findings, ...variableFindings(path, value, environment)];
};

/** What is wrong with `headers`. */
export const headerRuleFindings = (
  scenario: unknown,
  environment: Environment,
): ScenarioFinding[] => {
  const headers = isMapping(scenario) ? scenario['headers'] : undefined;
  if (!isMapping(headers)) return [];
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return Object.entries(headers).flatMap(([name, value], index) => {
    const path: Path = ['headers', name];
    const findings = headerFindings(path, value, environment);
    if (names.indexOf(name.toLowerCase()) === index) return findings;
    const message = `the header "${name.toLowerCase()}" stands here twice; case makes no difference`;
    return [...findings, { ...finding(path, message, null), part: 'key' as const }];
  });
};
