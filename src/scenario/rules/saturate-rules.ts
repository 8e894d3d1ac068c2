import type { Scenario } from '../schema/scenario-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { placedEntries, type PlacedStage, placedStages } from './placed-stages.ts';

/** What cannot be combined with a `saturate` load. */

/** Kinds that autocannon can send and whose answers it can take. */
const supportedKinds: readonly string[] = ['chat', 'models'];

interface FieldConflict {
  readonly part: ScenarioPart<unknown>;
  /** Values that change nothing. */
  readonly harmless: readonly unknown[];
  readonly reason: string;
}

const fieldConflictsOf = (scenario: ScenarioPart<Scenario>): readonly FieldConflict[] => [
  {
    part: scenario.at('pace'),
    harmless: [],
    reason: 'a pace makes requests wait, and this load never waits',
  },
  {
    part: scenario.at('retry'),
    harmless: [],
    reason: 'autocannon cannot send one request again later',
  },
  {
    part: scenario.at('budget'),
    harmless: [],
    reason: 'this load reserves nothing before it sends a request, so no budget could be kept',
  },
  {
    part: scenario.at('workers'),
    harmless: [1, 'auto'],
    reason: 'autocannon runs in one thread here',
  },
  {
    part: scenario.at('transport'),
    harmless: [],
    reason: 'autocannon has its own transport',
  },
  {
    part: scenario.at('wire').at('http2'),
    harmless: [false],
    reason: 'autocannon supports HTTP/1.1 only',
  },
];

const conflictingFieldFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] =>
  fieldConflictsOf(scenario)
    .filter(
      ({ part: { written }, harmless }) =>
        (written ?? null) !== null && !harmless.includes(written),
    )
    .map(({ part, reason }) => {
      const name = String(part.path.at(-1));
      return part.keyFinding(
        `"${name}" cannot be combined with a load of the kind "saturate": ${reason}`,
        `leave "${name}" out, or use the kind "closed"`,
      );
    });

const unsupportedKindFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] =>
  placedEntries(scenario)
    .map((entry) => entry.at('kind'))
    .filter(({ text }) => text !== null && !supportedKinds.includes(text))
    .map((kind) =>
      kind.valueFinding(
        `a load of the kind "saturate" sends chat and models only, because autocannon reads answers whole and uploads no files; got ${JSON.stringify(kind.text)}`,
        'choose another kind of traffic, or use the load "closed"',
      ),
    );

const severalStageFindings = (
  stages: readonly PlacedStage[],
  saturating: readonly PlacedStage[],
): readonly ScenarioFinding[] =>
  stages.length === 1
    ? []
    : saturating.map(({ load }) =>
        load
          .at('kind')
          .valueFinding(
            `a load of the kind "saturate" must be the only stage of a run, and there are ${stages.length} stages`,
            'put it into a scenario of its own, or use the kind "closed"',
          ),
      );

/** Everything in a scenario that cannot be combined with its `saturate` load; nothing where it has none. */
export const saturateRuleFindings = (
  scenario: ScenarioPart<Scenario>,
): readonly ScenarioFinding[] => {
  const stages = placedStages(scenario);
  const saturating = stages.filter(({ load }) => load.at('kind').text === 'saturate');
  return saturating.length === 0
    ? []
    : [
        ...severalStageFindings(stages, saturating),
        ...conflictingFieldFindings(scenario),
        ...unsupportedKindFindings(scenario),
      ];
};
