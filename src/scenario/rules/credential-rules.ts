import { framingFields, isFieldName, isFieldValue } from '../../model/observation/header-fields.ts';
import { templateProblem, secretReferencesIn } from '../../model/plan/secret.ts';
import { defaultKeyTemplate } from '../compile/compile.ts';
import {
  type Environment,
  environmentVariable,
  missingVariableFinding,
} from '../text/environment-template.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { isMapping } from '../text/scenario-tree.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import {
  addressOf,
  fieldHolders,
  type Findings,
  placedPopulations,
  type PlacedTarget,
  placedTargets,
  type WholeScenario,
} from './placed-stages.ts';

/**
 * This file contains the rules for keys and headers. No message repeats a value, since a value may be a secret in the
 * wrong place.
 */

const wholeReference = /^\$\{(env|secret|command):[^}]+\}$/;
const anyReference = /\$\{(?:(env|secret):[^}]+|uuid|index)\}/g;

function* variableFindings(
  part: ScenarioPart<unknown>,
  template: string,
  environment: Environment,
): Findings {
  for (const reference of secretReferencesIn(template)) {
    if (reference.kind !== 'env') continue;
    const value = environmentVariable(environment, reference.name);
    const message = `the environment variable ${reference.name} contains a line break or another character that no header can carry`;
    if (value === null) yield missingVariableFinding(part.path, reference.name);
    else if (!isFieldValue(value)) yield part.valueFinding(message, 'set it to the value alone');
  }
}

/** The texts that people put into the variable of a key by mistake. */
const wrongKeys: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^(['"]).*\1$/, 'is in quotation marks'],
  [/^\$\{?\w+\}?$/, 'has the name of a variable'],
  [/^<.*>$|^your[-_ ]|^sk-(?:x{3,}|\.+)$|^change-?me$/i, 'has a placeholder'],
];

/**
 * Finds a key of a wrong form. If a target lists its models without a key, no other check before the load finds a wrong
 * key.
 */
function* keyFormFindings(
  part: ScenarioPart<unknown>,
  template: string,
  environment: Environment,
  hasBearer: boolean,
): Findings {
  const [reference] = secretReferencesIn(template);
  if (reference?.kind !== 'env') return;
  const value = environmentVariable(environment, reference.name) ?? '';
  const what =
    hasBearer && /^bearer\s/i.test(value)
      ? 'begins with the word Bearer, which Weir adds itself'
      : wrongKeys.find(([pattern]) => pattern.test(value))?.[1];
  const message = `the environment variable ${reference.name} ${what}`;
  if (what !== undefined) yield part.valueFinding(message, 'set it to the key alone');
}

const keyHint =
  'write ${env:NAME} to take it from an environment variable, ${secret:PATH} to read it from a file, or ${command:…} to take it from what a command prints';

/**
 * Returns advice on a text that is not a valid reference. If the text is nearly a reference, the advice is the right
 * reference. Otherwise, the advice lists the kinds of reference.
 */
const keyHintFor = (key: string): string => {
  const [, kind, name, brace] = /^\$\{(env|secret|file):([^}]*)(\}?)$/.exec(key) ?? [];
  if (kind === 'file') return `write \${secret:${name}} to read it from a file`;
  return brace === '' ? `write } at its end: ${key}}` : keyHint;
};

function* keyFindings(part: ScenarioPart<unknown>, environment: Environment | null): Findings {
  const key = part.text ?? '';
  if (wholeReference.test(key)) {
    if (environment !== null) yield* variableFindings(part, key, environment);
    const [reference] = secretReferencesIn(key);
    if (
      reference?.kind === 'command' &&
      (reference.command === '' || Number.isNaN(reference.lifetime))
    )
      yield part.valueFinding(
        'expected a command, and after which time it runs again, if at all',
        'for example ${command:gcloud auth print-access-token; lifetime=50m}, in s, m or h',
      );
  } else if (secretReferencesIn(key).length > 0) {
    const message =
      'a key must be one reference and nothing else: Weir adds the word Bearer itself';
    yield part.valueFinding(message, keyHint);
  } else if (key !== '') {
    yield part.valueFinding('a key does not belong in a scenario file', keyHintFor(key));
  }
}

export const missingKeyHint =
  'set it before the run (export WEIR_API_KEY=…), or add "keys" with a reference to the key';

/**
 * Finds problems with `keys`. `environment` is `null` if all targets are reference gateways, which have their own keys,
 * or if other machines fill in the keys.
 */
export function* keyRuleFindings(
  scenario: WholeScenario,
  environment: Environment | null,
): Findings {
  // A list of plain texts in `keys` has the wrong type. If one of these texts is a key, the key in the file is the
  // worse mistake, so the key is reported instead of the wrong type.
  const targets = placedTargets(scenario);
  const keyParts: readonly ScenarioPart<unknown>[] = [
    ...fieldHolders(scenario).map((holder) => holder.at('keys')),
    ...targets.flatMap(({ name, own }) => (name === null ? [] : own.at('keys'))),
  ];
  const given = keyParts.flatMap((keys): readonly ScenarioPart<unknown>[] =>
    keys.isList ? keys.items : [keys],
  );
  const hasBearer = targets.every(({ auth }) => !auth.isPresent);
  for (const each of given) {
    const key = isMapping(each.written) ? each.at('key') : each;
    yield* keyFindings(key, environment);
    if (environment !== null) yield* keyFormFindings(key, key.text ?? '', environment, hasBearer);
  }
  const unkeyed = placedPopulations(scenario).find(
    ({ keys, target }) => !keys.isPresent && target !== null && addressOf(target) !== null,
  );
  if (unkeyed === undefined || environment === null) return;
  const target = unkeyed.target!.url;
  if (environmentVariable(environment, 'WEIR_API_KEY') === null) {
    const message =
      'there is no key for this target: the environment variable WEIR_API_KEY is not set';
    yield target.valueFinding(message, missingKeyHint);
    return;
  }
  yield* variableFindings(target, defaultKeyTemplate, environment);
  yield* keyFormFindings(target, defaultKeyTemplate, environment, hasBearer);
}

/** Matches the names of headers that usually contain keys or other secrets. */
export const secretName = /auth|api-?key|token|secret|cookie|password|credential/;
/** Matches values of headers that look like keys or other secrets. */
export const secretValue = /^(?:bearer|basic)\s+\S|^sk-/i;
/**
 * Matches a word that is long enough to be a key. A shorter word is allowed beside a reference, for example a scheme
 * (`Bearer`) or the name of a cookie.
 */
const longWordPattern = /[\w-]{16,}/;

const holdsSecret = (name: string, value: string): boolean => {
  const remainder = value.replaceAll(anyReference, '');
  if (!secretName.test(name)) return secretValue.test(remainder);
  return remainder === value || longWordPattern.test(remainder);
};

/** These headers cannot carry a key, because Weir sets them to other values. */
const ownHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  'x-request-id',
]);

function* headerFindings(header: ScenarioPart<string>, environment: Environment | null): Findings {
  const name = String(header.path.at(-1)).toLowerCase();
  const value = header.text;
  if (!isFieldName(name)) yield header.keyFinding('this is not a valid header name');
  if (framingFields.has(name) || name === 'x-request-id') {
    yield header.keyFinding(`Weir sets the header "${name}" itself`, 'leave it out');
  }
  if (value === null) return;
  if (!isFieldValue(value)) {
    const message =
      'this value contains a line break or another character that no header can carry';
    yield header.valueFinding(message);
  }
  const problem = templateProblem(value, ['env', 'secret']);
  if (problem !== null) yield header.valueFinding(problem);
  if (holdsSecret(name, value)) {
    const message = `the value of the header "${name}" does not belong in a scenario file`;
    const hint = 'write ${env:NAME} or ${secret:PATH} for it, for example Bearer ${env:NAME}';
    yield header.valueFinding(message, hint);
  }
  if (environment !== null) yield* variableFindings(header, value, environment);
}

function* authFindings({ auth, headers }: PlacedTarget): Findings {
  const header = auth.at('header');
  const name = header.text?.toLowerCase() ?? '';
  if (name === '') return;
  if (!isFieldName(name)) yield header.valueFinding('this is not a valid header name');
  else if (framingFields.has(name) || ownHeaders.has(name)) {
    const message = `Weir sets the header "${name}" itself`;
    yield header.valueFinding(message, 'name the header in which the gateway expects the key');
  }
  const twin = headers.names.find((written) => written.toLowerCase() === name);
  if (twin === undefined) return;
  const message = `the header "${name}" already carries the key`;
  yield headers.at(twin).keyFinding(message, 'leave it out here, or leave "auth" out');
}

function* namesFindings(
  headers: PlacedTarget['headers'],
  environment: Environment | null,
): Findings {
  const seen = new Set<string>();
  for (const written of headers.names) {
    const header = headers.at(written);
    const name = written.toLowerCase();
    yield* headerFindings(header, environment);
    const message = `the header "${name}" is set twice; upper and lower case make no difference`;
    if (seen.has(name)) yield header.keyFinding(message);
    seen.add(name);
  }
}

/** Finds problems with `headers`. `environment` is `null` if other machines fill in the headers. */
export function* headerRuleFindings(
  scenario: WholeScenario,
  environment: Environment | null,
): Findings {
  const found = new Map<string, ScenarioFinding>();
  for (const target of placedTargets(scenario))
    for (const finding of [...authFindings(target), ...namesFindings(target.headers, environment)])
      found.set(JSON.stringify(finding), finding);
  yield* found.values();
}
