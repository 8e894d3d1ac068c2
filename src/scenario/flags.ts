import { readScalar } from './override.ts';
import { type Mark, type Marks, type Path, pathKey, type Tree } from './tree.ts';

/**
 * The scenario that the flags of `weir run` stand for when there is no file. `rate` makes a
 * constant load, `users` a closed one, `iterations` (with or without users) a number of requests.
 */
export interface ScenarioFlags {
  readonly kind?: string | undefined;
  readonly model?: string | undefined;
  readonly prompt?: string | undefined;
  readonly maxTokens?: string | number | undefined;
  readonly rate?: string | number | undefined;
  readonly duration?: string | number | undefined;
  readonly users?: string | number | undefined;
  readonly iterations?: string | number | undefined;
}

const loadKind = ({ users, iterations }: ScenarioFlags): string => {
  if (iterations !== undefined) return 'iterations';
  return users === undefined ? 'constant' : 'closed';
};

/** Where each flag's value stands in the scenario. */
const paths = (kind: string): Readonly<Record<keyof ScenarioFlags, Path>> => ({
  kind: ['traffic', 0, 'kind'],
  model: ['traffic', 0, 'model'],
  prompt: ['traffic', 0, 'prompt'],
  maxTokens: ['traffic', 0, 'maxTokens'],
  rate: ['load', 'rate'],
  duration: ['load', kind === 'iterations' ? 'maxDuration' : 'duration'],
  users: ['load', 'users'],
  iterations: ['load', 'iterations'],
});

/** Flags whose text is a number; the others keep what was typed. */
const counts: ReadonlySet<string> = new Set(['maxTokens', 'users', 'iterations']);

/** `maxTokens` is given as `--max-tokens`. */
const flagName = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The last steps of the given flags' paths with their values. */
const given = (flags: ScenarioFlags, holder: string): Readonly<Record<string, unknown>> => {
  const entries = Object.entries(paths(loadKind(flags))).flatMap(([name, path]) => {
    const value = flags[name as keyof ScenarioFlags];
    if (value === undefined || path[0] !== holder) return [];
    return [[String(path.at(-1)), counts.has(name) ? readScalar(String(value)) : value] as const];
  });
  return Object.fromEntries(entries);
};

/** A tree like that of a file, whose problems name the flag instead of a line. */
export const scenarioFromFlags = (flags: ScenarioFlags): Tree => {
  const kind = loadKind(flags);
  const marks = new Map<string, Marks>();
  const mark = (path: Path, flag: string): void => {
    const place: Mark = { kind: 'flag', flag };
    marks.set(pathKey(path), { key: place, value: place, plain: true });
  };
  mark([], 'command line');
  mark(['load'], flagName(kind === 'constant' ? 'rate' : kind === 'closed' ? 'users' : kind));
  for (const [name, path] of Object.entries(paths(kind))) mark(path, flagName(name));
  return {
    value: {
      traffic: [{ kind: 'chat-stream', ...given(flags, 'traffic') }],
      load: { kind, ...given(flags, 'load') },
    },
    marks,
  };
};
