import { parseScalar } from './overrides.ts';
import {
  type EntryPositions,
  flagPositions,
  type Path,
  pathKey,
  type ScenarioTree,
  withValueAtPath,
} from './scenario-tree.ts';

const flagPaths = (traffic: unknown, load: string) => ({
  kind: ['traffic', 0, 'kind'],
  model: ['traffic', 0, 'model'],
  prompt: ['traffic', 0, 'prompt'],
  maxTokens: ['traffic', 0, 'maxTokens'],
  // For speech, `text` is the text to be spoken. For transcriptions, `text` is the known text of the clip.
  text: ['traffic', 0, ...(traffic === 'transcription' ? ['clips'] : []), 'text'],
  voice: ['traffic', 0, 'voice'],
  clip: ['traffic', 0, 'clips', 'file'],
  rate: ['load', 'rate'],
  duration: ['load', load === 'iterations' ? 'maxDuration' : 'duration'],
  users: ['load', 'users'],
  iterations: ['load', 'iterations'],
});

/**
 * The flags of `weir run` that describe a scenario without a file. `rate` means a constant load, `users` a closed load,
 * and `iterations` (with or without users) a fixed number of requests.
 */
export type ScenarioFlags = {
  readonly [Flag in keyof ReturnType<typeof flagPaths>]?: string | number | undefined;
};

const loadKind = ({ users, iterations }: ScenarioFlags) => {
  if (iterations !== undefined) return 'iterations';
  return users === undefined ? 'constant' : 'closed';
};

/** The flags whose text is read as a number. All other flags stay texts. */
const numericFlags = ['maxTokens', 'users', 'iterations'];

/** Returns the flag of a field: `maxTokens` becomes `--max-tokens`. */
const flagName = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Returns the scenario that flags describe, as a tree like that of a file. A problem in the scenario names the flag
 * instead of a line.
 */
export const scenarioFromFlags = (flags: ScenarioFlags): ScenarioTree => {
  const kind = loadKind(flags);
  const positions = new Map<string, EntryPositions>();
  const markPosition = (path: Path, flag: string): void => {
    positions.set(pathKey(path), flagPositions(flag));
  };
  const loadFlags = { constant: '--rate', closed: '--users', iterations: '--iterations' };
  markPosition([], 'command line');
  markPosition(['load'], loadFlags[kind]);
  markPosition(['traffic', 0, 'clips'], flagName('clip'));
  let scenario: unknown = { traffic: [{ kind: 'chat-stream' }], load: { kind } };
  for (const [name, path] of Object.entries(flagPaths(flags.kind, kind))) {
    markPosition(path, flagName(name));
    const given = flags[name as keyof ScenarioFlags];
    if (given === undefined) continue;
    const value = numericFlags.includes(name) ? parseScalar(String(given)) : given;
    scenario = withValueAtPath(scenario, path, value);
  }
  return { value: scenario, positions };
};
