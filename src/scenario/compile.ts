import type { Key, Plan, Stage } from '../model/plan.ts';
import type { Message, Traffic } from '../model/traffic.ts';
import { compileLoad } from './compile-load.ts';
import { defaultKeyTemplate } from './credentials.ts';
import type { Scenario } from './schema.ts';
import { namedFields } from './traffic-rules.ts';
import type { ScenarioTraffic } from './traffic-schema.ts';

/** What is asked where a scenario says nothing. */
const defaultPrompt = 'Explain in two sentences how a weir measures the flow of a river.';

/** The stage's name where a scenario has one load only. */
export const onlyStage = 'main';

type ChatEntry = Exclude<ScenarioTraffic, { kind: 'models' }>;

const conversationsOf = (entry: ChatEntry): Message[][] => {
  const opening: Message[] =
    entry.system === undefined ? [] : [{ role: 'system', content: entry.system }];
  const given = entry.messages === undefined ? entry.conversations : [entry.messages];
  if (given !== undefined) return given.map((messages) => [...opening, ...messages]);
  const prompts = entry.prompts ?? [entry.prompt ?? defaultPrompt];
  return prompts.map((content) => [...opening, { role: 'user', content }]);
};

/** The body of an entry's requests: what stands nearest to the entry wins. */
const bodyOf = (entry: ChatEntry, common: Scenario['body']): Scenario['body'] => {
  const { maxTokens, temperature, topP } = entry;
  const named = {
    ...(temperature === undefined ? {} : { [namedFields.temperature]: temperature }),
    ...(topP === undefined ? {} : { [namedFields.topP]: topP }),
  };
  const body: Scenario['body'] = { ...common, ...named, ...entry.body };
  // The plan has a place of its own for this one.
  if (maxTokens !== undefined) delete body[namedFields.maxTokens];
  return body;
};

const compileTraffic = (entry: ScenarioTraffic, common: Scenario['body']): Traffic => {
  const { kind, weight } = entry;
  if (kind === 'models') return { kind, weight };
  return {
    kind,
    weight,
    model: entry.model,
    conversations: conversationsOf(entry),
    maxTokens: entry.maxTokens ?? null,
    body: bodyOf(entry, common),
  };
};

const compileStages = (scenario: Scenario): Stage[] => {
  const { load, body } = scenario;
  const stages = scenario.stages ?? (load === undefined ? [] : [{ name: onlyStage, load }]);
  return stages.flatMap((stage) => {
    const own = 'traffic' in stage ? stage.traffic : undefined;
    const traffic = (own ?? scenario.traffic ?? []).map((entry) => compileTraffic(entry, body));
    return compileLoad(stage.load).map(({ suffix, load: compiled }) => ({
      name: `${stage.name}${suffix}`,
      load: compiled,
      traffic,
    }));
  });
};

const compileKeys = (keys: Scenario['keys']): Key[] => {
  if (Array.isArray(keys)) {
    return keys.map(({ name, key, weight }) => ({ name, template: key, weight }));
  }
  return [{ name: 'default', template: keys ?? defaultKeyTemplate, weight: 1 }];
};

/** The plan of a scenario that has passed every rule; `name` serves where the scenario has none. */
export const compile = (scenario: Scenario, name: string): Plan => ({
  format: 'plan/1',
  name: scenario.name ?? name,
  description: scenario.description ?? null,
  target: scenario.target,
  wire: { ...scenario.wire, caFile: scenario.wire.caFile ?? null },
  keys: compileKeys(scenario.keys),
  headers: Object.fromEntries(
    Object.entries(scenario.headers).map(([header, value]) => [header.toLowerCase(), value]),
  ),
  stages: compileStages(scenario),
  warmUp: scenario.warmUp,
  grace: scenario.grace,
  inFlight: scenario.inFlight,
  deadlines: scenario.deadlines,
  caps: scenario.caps,
  limits: scenario.limits,
  streams: scenario.streams,
  seed: scenario.seed,
  mock: scenario.mock,
});
