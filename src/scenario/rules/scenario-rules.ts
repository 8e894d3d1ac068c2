import type { Scenario } from '../schema/scenario-schema.ts';
import { formatDuration } from '../schema/notation.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { duplicateNameFindings } from './load-rules.ts';
import {
  fieldHolders,
  type Findings,
  placedPopulations,
  type PlacedTarget,
  placedTargets,
  type WholeScenario,
} from './placed-stages.ts';

function* loadFindings(scenario: WholeScenario): Findings {
  for (const [place, holder] of fieldHolders(scenario).entries()) {
    if (!holder.at('load').isPresent || !holder.at('stages').isPresent) continue;
    const what = place === 0 ? 'scenario' : 'population';
    const message = `a ${what} has either "load" or "stages", and this one has both`;
    yield holder.at('stages').keyFinding(message, 'keep one of them');
  }
  for (const { own, load, stages } of placedPopulations(scenario)) {
    if (load.isPresent || stages.isPresent) continue;
    const message = '"load" is missing: expected one load, or several named ones under "stages"';
    const hint = 'for example load: {kind: constant, rate: 5/s, duration: 30s}';
    yield own.at('load').keyFinding(message, hint);
  }
}

function* trafficFindings(scenario: WholeScenario): Findings {
  for (const { own, traffic, stages } of placedPopulations(scenario)) {
    const everyStageHasItsOwn =
      stages.isList && stages.items.every((stage) => stage.at('traffic').isPresent);
    if (traffic.isPresent || everyStageHasItsOwn) continue;
    const message = '"traffic" is missing: expected a list of the requests to send';
    const hint = 'for example traffic: [{kind: chat-stream, model: NAME}]';
    yield own.at('traffic').keyFinding(message, hint);
  }
}

const withText = (part: ScenarioPart<unknown>) => ({ part, name: part.text });

function* retryFindings(part: ScenarioPart<Scenario['retry'] | undefined>): Findings {
  const retry = part.validValue ?? null;
  if (retry === null) return;
  yield* duplicateNameFindings('retry', part.at('on').items.map(withText));
  if (retry.cap >= retry.base) return;
  const [cap, base] = [formatDuration(retry.cap), formatDuration(retry.base)];
  const message = `the longest wait ("cap": ${cap}) is shorter than the first ("base": ${base})`;
  yield part.at('cap').keyFinding(message, 'raise "cap" or lower "base"');
}

function* certificateFindings({ url, wire }: PlacedTarget): Findings {
  const { clientCert, clientKey } = wire.validValue ?? {};
  if (clientKey !== undefined && clientCert === undefined) {
    const message = '"clientKey" is the key of a client certificate, and "clientCert" names none';
    yield wire.at('clientKey').keyFinding(message, 'add "clientCert"');
  }
  const target = url.text ?? '';
  if (clientCert !== undefined && /^(?:http|unix):/i.test(target)) {
    const message = '"clientCert" is shown over TLS only, and the target is not an https address';
    yield wire.at('clientCert').keyFinding(message, 'write https, or leave it out');
  }
}

function* wireFindings(target: PlacedTarget): Findings {
  const { url, wire } = target;
  yield* certificateFindings(target);
  if (wire.validValue?.proxy.kind === 'url' && /^unix:/i.test(url.text ?? '')) {
    const message = '"proxy" cannot be combined with the target, a Unix socket of this machine';
    yield wire.at('proxy').keyFinding(message, 'leave "proxy" out');
  }
  const { reuse, maxRequestsPerConnection: most } = wire.validValue ?? {};
  if (reuse !== false || most === undefined || most === null || most === 1) return;
  const message = `"reuse: false" opens a connection for each request, and "maxRequestsPerConnection" allows ${most}`;
  yield wire.at('maxRequestsPerConnection').keyFinding(message, 'keep one of them');
}

export function* scenarioRule(scenario: WholeScenario): Findings {
  yield* loadFindings(scenario);
  yield* trafficFindings(scenario);
  for (const holder of fieldHolders(scenario)) {
    const keyNames = holder.at('keys').items.map((key) => withText(key.at('name')));
    yield* duplicateNameFindings('key', keyNames);
    yield* retryFindings(holder.at('retry'));
  }
  const found = placedTargets(scenario).flatMap((target) => [...wireFindings(target)]);
  yield* new Map(found.map((finding) => [JSON.stringify(finding), finding])).values();
}
