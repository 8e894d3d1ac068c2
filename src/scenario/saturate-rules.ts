import type { Finding } from './problem.ts';
import { placedEntries } from './traffic-rules.ts';
import { type Path, valueAt } from './tree.ts';

/** What a `saturate` load leaves no room for. */

/** Kinds that autocannon can send and whose answers it can take. */
const sendable: readonly unknown[] = ['chat', 'models'];

interface Misfit {
  readonly path: Path;
  /** Whether what stands there is of no consequence. */
  readonly harmless: (value: unknown) => boolean;
  readonly because: string;
  readonly hint: string;
}

const never = (): boolean => false;

const misfits: readonly Misfit[] = [
  {
    path: ['pace'],
    harmless: never,
    because: 'a pace makes requests wait, and this load never waits',
    hint: 'leave "pace" out, or use the kind "closed"',
  },
  {
    path: ['retry'],
    harmless: never,
    because: 'autocannon cannot send one request again later',
    hint: 'leave "retry" out, or use the kind "closed"',
  },
  {
    path: ['budget'],
    harmless: never,
    because: 'nothing is set aside before a request of this load goes, so no budget could be kept',
    hint: 'leave "budget" out, or use the kind "closed"',
  },
  {
    path: ['workers'],
    harmless: (value) => value === 1 || value === 'auto',
    because: 'autocannon runs in one thread here',
    hint: 'leave "workers" out, or use the kind "closed"',
  },
  {
    path: ['transport'],
    harmless: never,
    because: 'autocannon brings a transport of its own',
    hint: 'leave "transport" out, or use the kind "closed"',
  },
  {
    path: ['wire', 'http2'],
    harmless: (value) => value !== true,
    because: 'autocannon speaks HTTP/1.1 only',
    hint: 'leave "http2" out, or use the kind "closed"',
  },
];

const besideLoad = (scenario: unknown): readonly Finding[] =>
  misfits.flatMap(({ path, harmless, because, hint }) => {
    const value = valueAt(scenario, path);
    if (value === undefined || value === null || harmless(value)) return [];
    const message = `"${path.at(-1)}" does not go with a load of the kind "saturate": ${because}`;
    return [{ path, part: 'key', message, hint }];
  });

const unsendable = (scenario: unknown): readonly Finding[] =>
  placedEntries(scenario).flatMap(({ entry, path }) => {
    const kind = valueAt(entry, ['kind']);
    if (typeof kind !== 'string' || sendable.includes(kind)) return [];
    return [
      {
        path: [...path, 'kind'],
        part: 'value',
        message: `a load of the kind "saturate" sends chat and models only: autocannon takes answers whole and uploads no files; got ${JSON.stringify(kind)}`,
        hint: 'ask for another kind of traffic, or use the load "closed"',
      },
    ];
  });

const amongStages = (stages: readonly unknown[]): readonly Finding[] =>
  stages.length === 1
    ? []
    : stages.flatMap((stage, index) =>
        valueAt(stage, ['load', 'kind']) === 'saturate'
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
export const besideSaturation = (scenario: unknown): readonly Finding[] => {
  const stages = valueAt(scenario, ['stages']);
  const several = Array.isArray(stages) ? Array.from<unknown>(stages) : [scenario];
  const saturates = several.some((one) => valueAt(one, ['load', 'kind']) === 'saturate');
  return saturates
    ? [...amongStages(several), ...besideLoad(scenario), ...unsendable(scenario)]
    : [];
};
