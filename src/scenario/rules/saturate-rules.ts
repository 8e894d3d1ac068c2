import { requestReference, secretReferencesIn } from '../../model/plan/secret.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { type Findings, placedEntries, placedStages, type WholeScenario } from './placed-stages.ts';

/** The traffic kinds that autocannon can send and whose answers Weir can count. */
const supportedKinds: readonly string[] = ['chat', 'models'];

/**
 * A field that a saturating load does not support, the reason, and the values that are allowed because they change
 * nothing.
 */
type FieldConflict = readonly [ScenarioPart<unknown>, reason: string, ...harmless: unknown[]];

const fieldConflictsOf = (scenario: WholeScenario): readonly FieldConflict[] => [
  [scenario.at('pace'), 'a pace makes requests wait, and this load never waits'],
  [scenario.at('retry'), 'autocannon cannot send one request again later'],
  [
    scenario.at('budget'),
    'this load reserves nothing before it sends a request, so no budget could be kept',
  ],
  [scenario.at('workers'), 'autocannon runs in one thread here', 1, 'auto'],
  [scenario.at('transport'), 'autocannon has its own transport'],
  [scenario.at('wire').at('http2'), 'autocannon supports HTTP/1.1 only', false],
];

function* fieldFindings(scenario: WholeScenario): Findings {
  for (const [part, reason, ...harmless] of fieldConflictsOf(scenario)) {
    const { written, path } = part;
    const name = String(path.at(-1));
    if (harmless.includes(written) || (written ?? null) === null) continue;
    // The schema reports a faulty value of a switch. Here, a faulty switch counts as off.
    if (name === 'http2' && written !== true) continue;
    const message = `"${name}" cannot be combined with a load of the kind "saturate": ${reason}`;
    yield part.keyFinding(message, `leave "${name}" out, or use the kind "closed"`);
  }
}

function* kindFindings(scenario: WholeScenario): Findings {
  for (const entry of placedEntries(scenario)) {
    const kind = entry.at('kind');
    if (kind.text === null || supportedKinds.includes(kind.text)) continue;
    const message = `a load of the kind "saturate" sends chat and models only, because autocannon reads answers whole and uploads no files; got ${JSON.stringify(kind.text)}`;
    yield kind.valueFinding(message, 'choose another kind of traffic, or use the load "closed"');
  }
}

/**
 * Finds templates. A saturating load prepares a few requests and sends them again and again, so its requests cannot
 * have templates.
 */
function* templateFindings(scenario: WholeScenario): Findings {
  const entries = placedEntries(scenario) as readonly ScenarioPart<{ readonly body?: unknown }>[];
  const bodies = [scenario.at('body'), ...entries.map((entry) => entry.at('body'))];
  for (const part of [scenario.at('headers'), ...bodies]) {
    if (JSON.stringify(part.written ?? null).match(requestReference) === null) continue;
    const message = `$\{uuid} and $\{index} cannot be combined with a load of the kind "saturate": it sends a few requests again and again`;
    yield part.valueFinding(message, 'leave them out, or use the kind "closed"');
  }
}

/**
 * Finds keys that are renewed. A saturating load prepares its requests with the first keys, so it cannot use renewed
 * keys.
 */
function* renewalFindings(scenario: WholeScenario): Findings {
  const keys: ScenarioPart<unknown> = scenario.at('keys');
  const parts = keys.isList
    ? keys.items.map((item) => (item as ScenarioPart<{ readonly key?: unknown }>).at('key'))
    : [keys];
  for (const part of parts) {
    const references = secretReferencesIn(part.text ?? '');
    if (!references.some((each) => each.kind === 'command' && each.lifetime !== null)) continue;
    const message =
      'a key with a "lifetime" cannot be combined with a load of the kind "saturate": it prepares its requests before';
    yield part.valueFinding(message, 'leave "lifetime" out, or use the kind "closed"');
  }
}

/**
 * Finds hang-ups, which a saturating load cannot have: it sends each request many times, and each hang-up would close a
 * connection.
 */
function* cancelFindings(scenario: WholeScenario): Findings {
  for (const entry of placedEntries(scenario)) {
    const cancel: ScenarioPart<unknown> = entry.at('cancel');
    if (!cancel.isPresent) continue;
    const message =
      '"cancel" cannot be combined with a load of the kind "saturate": it keeps its connections busy';
    yield cancel.keyFinding(message, 'leave "cancel" out, or use the kind "closed"');
  }
}

export function* saturateRule(scenario: WholeScenario): Findings {
  // The rule on populations already refuses a saturating load with populations.
  if (scenario.at('populations').isPresent) return;
  const kinds = placedStages(scenario).map(({ load }) => load.at('kind'));
  const saturating = kinds.filter(({ text }) => text === 'saturate');
  if (saturating.length === 0) return;
  const message = `a load of the kind "saturate" must be the only stage of a run, and there are ${kinds.length} stages`;
  const hint = 'put it into a scenario of its own, or use the kind "closed"';
  if (kinds.length > 1) yield* saturating.map((kind) => kind.valueFinding(message, hint));
  yield* fieldFindings(scenario);
  yield* kindFindings(scenario);
  yield* cancelFindings(scenario);
  yield* templateFindings(scenario);
  yield* renewalFindings(scenario);
}
