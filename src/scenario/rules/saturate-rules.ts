import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { placedEntries } from './traffic-rules.ts';
import { type Path, valueAtPath } from '../text/scenario-tree.ts';

/** What a `saturate` load leaves no room for. */

/** Kinds that autocannon can send and whose answers it can take. */
const supportedKinds: readonly unknown[] = ['chat', 'models'];

interface FieldConflict {
  readonly path: Path;
  /** Whether what stands there is of no consequence. */
  readonly isHarmless: (value: unknown) => boolean;
  readonly reason: string;
  readonly hint: string;
}

const never = (): boolean => false;

const fieldConflicts: readonly FieldConflict[] = [
  {
    path: ['pace'],
    isHarmless: never,
    reason: 'a pace makes requests wait, and this load never waits',
    hint: 'leave "pace" out, or use the kind "closed"',
  },
  {
    path: ['retry'],
    isHarmless: never,
    reason: 'autocannon cannot send one request again later',
    hint: 'leave "retry" out, or use the kind "closed"',
  },
  {
    path: ['budget'],
    isHarmless: never,
    reason: 'nothing is set aside before a request of this load goes, so no budget could be kept',
    hint: 'leave "budget" out, or use the kind "closed"',
  },
  {
    path: ['workers'],
    isHarmless: (value) => value === 1 || value === 'auto',
    reason: 'autocannon runs in one thread here',
    hint: 'leave "workers" out, or use the kind "closed"',
  },
  {
    path: ['transport'],
    isHarmless: never,
    reason: 'autocannon brings a transport of its own',
    hint: 'leave "transport" out, or use the kind "closed"',
  },
  {
    path: ['wire', 'http2'],
    isHarmless: (value) => value !== true,
    reason: 'autocannon speaks HTTP/1.1 only',
    hint: 'leave "http2" out, or use the kind "closed"',
  },
];

const conflictingFieldFindings = (scenario: unknown): readonly ScenarioFinding[] =>
  fieldConflicts.flatMap(({ path, isHarmless, reason, hint }) => {
    const value = valueAtPath(scenario, path);
    if (value === undefined || value === null || isHarmless(value)) return [];
    const message = `"${path.at(-1)}" does not go with a load of the kind "saturate": ${reason}`;
    return [{ path, part: 'key', message, hint }];
  });

const unsupportedKindFindings = (scenario: unknown): readonly ScenarioFinding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    const kind = valueAtPath(entry, ['kind']);
    if (typeof kind !== 'string' || supportedKinds.includes(kind)) return [];
    return [
      {
        path: [...path, 'kind'],
        part: 'value',
        message: `a load of the kind "saturate" sends chat and models only: autocannon takes answers whole and uploads no files; got ${JSON.stringify(kind)}`,
        hint: 'ask for another kind of traffic, or use the load "closed"',
      },
    ];
  });

const severalStageFindings = (stages: readonly unknown[]): readonly ScenarioFinding[] =>
  stages.length === 1
    ? []
    : stages.flatMap((stage, index) =>
        valueAtPath(stage, ['load', 'kind']) === 'saturate'
          ? [
              {
                path: ['stages', index, 'load', 'kind'],
                part: 'value',
                message: `a load of the kind "saturate" is a run of its own: expected no other stage, got ${stages.length} stages`,
                hint: 'give it a scenario of its own, or use the kind "closed"',
              },
            ]
          : [],
      );

/** Everything in a scenario that does not go with its `saturate` load; nothing where it has none. */
export const saturateRuleFindings = (scenario: unknown): readonly ScenarioFinding[] => {
  const stages = valueAtPath(scenario, ['stages']);
  const stageList = Array.isArray(stages) ? Array.from<unknown>(stages) : [scenario];
  const saturates = stageList.some((one) => valueAtPath(one, ['load', 'kind']) === 'saturate');
  return saturates
    ? [
        ...severalStageFindings(stageList),
        ...conflictingFieldFindings(scenario),
        ...unsupportedKindFindings(scenario),
      ]
    : [];
};
