import { framingFields, isFieldName, isFieldValue } from '../../model/observation/header-fields.ts';
import { secretReferencesIn } from '../../model/plan/secret.ts';
import { defaultKeyTemplate } from '../compile/compile.ts';
import {
  type Environment,
  environmentVariable,
  missingVariableFinding,
} from '../text/environment-template.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { isMapping } from '../text/scenario-tree.ts';
import type { Findings, WholeScenario } from './placed-stages.ts';

/** The rules of keys and headers. No message repeats a value: what is in the wrong place may be a secret. */

const wholeReference = /^\$\{(env|secret):[^}]+\}$/;
const anyReference = /\$\{(env|secret):[^}]+\}/g;

const variableFindings = (
  part: ScenarioPart<unknown>,
  template: string,
  environment: Environment,
): Findings =>
  secretReferencesIn(template).flatMap((reference) => {
    if (reference.kind !== 'env') return [];
    const value = environmentVariable(environment, reference.name);
    if (value === null) return [missingVariableFinding(part.path, reference.name)];
    const message = `the environment variable ${reference.name} contains a line break or another character that no header can carry`;
    return isFieldValue(value) ? [] : [part.valueFinding(message, 'set it to the value alone')];
  });

const keyHint =
  'write ${env:NAME} to take it from an environment variable, or ${secret:PATH} to read it from a file';

const keyFindings = (part: ScenarioPart<unknown>, environment: Environment | null): Findings => {
  const key = part.text ?? '';
  if (key === '') return [];
  if (wholeReference.test(key)) {
    return environment === null ? [] : variableFindings(part, key, environment);
  }
  const message =
    secretReferencesIn(key).length > 0
      ? 'a key must be one reference and nothing else: Weir adds the word Bearer itself'
      : 'a key does not belong in a scenario file';
  return [part.valueFinding(message, keyHint)];
};

/** What is wrong with `keys`; `environment` is `null` when the target has its own keys. */
export const keyRuleFindings = (
  scenario: WholeScenario,
  environment: Environment | null,
): Findings => {
  const [keys, target] = [scenario.at('keys'), scenario.at('target')];
  if (keys.isPresent) {
    // A list of bare keys has the wrong type, but a literal key in it is the worse mistake.
    return (keys.isList ? keys.items : [keys]).flatMap((key: ScenarioPart<unknown>) =>
      keyFindings(isMapping(key.written) ? key.at('key') : key, environment),
    );
  }
  if (environment === null) return [];
  if (environmentVariable(environment, 'WEIR_API_KEY') !== null) {
    return variableFindings(target, defaultKeyTemplate, environment);
  }
  const message =
    'there is no key for this target: the environment variable WEIR_API_KEY is not set';
  const hint =
    'set it before the run (export WEIR_API_KEY=…), or add "keys" with a reference to the key';
  return [target.valueFinding(message, hint)];
};

const secretName = /auth|api-?key|token|secret|cookie|password|credential/;
const secretValue = /^(?:bearer|basic)\s+\S|^sk-/i;
/** A scheme (`Bearer`) or a cookie's name may stand beside a reference, a key may not. */
const longWordPattern = /[\w-]{16,}/;

const headerFindings = (header: ScenarioPart<string>, environment: Environment): Findings => {
  const name = String(header.path.at(-1)).toLowerCase();
  const value = header.text;
  const findings: ScenarioFinding[] = [];
  if (!isFieldName(name)) findings.push(header.keyFinding('this is not a valid header name'));
  if (framingFields.has(name) || name === 'x-request-id') {
    findings.push(header.keyFinding(`Weir sets the header "${name}" itself`, 'leave it out'));
  }
  if (value === null) return findings;
  if (!isFieldValue(value)) {
    const message =
      'this value contains a line break or another character that no header can carry';
    findings.push(header.valueFinding(message));
  }
  const remainder = value.replaceAll(anyReference, '');
  const hasNoReference = secretReferencesIn(value).length === 0;
  const isSecret = secretName.test(name)
    ? hasNoReference || longWordPattern.test(remainder)
    : secretValue.test(remainder);
  if (isSecret) {
    const message = `the value of the header "${name}" does not belong in a scenario file`;
    const hint = 'write ${env:NAME} or ${secret:PATH} for it, for example Bearer ${env:NAME}';
    findings.push(header.valueFinding(message, hint));
  }
  return [...findings, ...variableFindings(header, value, environment)];
};

export const headerRuleFindings = (scenario: WholeScenario, environment: Environment): Findings => {
  const headers = scenario.at('headers');
  const names = headers.names.map((name) => name.toLowerCase());
  return headers.names.flatMap((written, index) => {
    const header = headers.at(written);
    const name = written.toLowerCase();
    const message = `the header "${name}" is set twice; upper and lower case make no difference`;
    return [
      ...headerFindings(header, environment),
      ...(names.indexOf(name) < index ? [header.keyFinding(message)] : []),
    ];
  });
};
