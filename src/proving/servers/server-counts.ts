import { preflightId } from '../../contract/routes.ts';
import type { Result } from '../../model/result/result.ts';
import type { LoggedRequest } from '../harness/server-log.ts';
import type { ServerTokens } from './server-case.ts';

/** A run's counts against those of its server. */

/** The path, below the base address, of each kind of traffic. */
const pathEnds = {
  'chat-stream': '/chat/completions',
  chat: '/chat/completions',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  models: '/models',
} as const;

/** Completed requests by path, as a result has them. */
const completedByPath = (result: Result): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const { labels, outcomes } of result.groups) {
    const path = pathEnds[labels.traffic];
    counts.set(path, (counts.get(path) ?? 0) + outcomes.completed);
  }
  return counts;
};

/** Whether a request is one of a run's, neither its check of the target nor the independent client's. */
export const isOfRun = ({ id }: LoggedRequest): boolean =>
  id !== '-' && id !== preflightId && !id.startsWith('client-');

/** What a run and its server's log count differently, one sentence each. */
export const compareWithServerLog = (
  result: Result,
  requests: readonly LoggedRequest[],
): readonly string[] => {
  const own = requests.filter(isOfRun);
  const differences: string[] = [];
  for (const [path, completed] of completedByPath(result)) {
    const answered = own.filter((each) => each.path.endsWith(path) && each.status === 200).length;
    if (answered !== completed)
      differences.push(`${path}: ${completed} completed, ${answered} answered with 200`);
  }
  const sent = result.groups.reduce((sum, group) => sum + group.sent, 0);
  if (own.length !== sent) differences.push(`${sent} sent, ${own.length} logged`);
  return differences;
};

/** The tokens of a run, as its answers reported them. */
export const tokensOf = (result: Result): ServerTokens => {
  const all = result.groups.flatMap(({ tokens }) => tokens);
  const sum = (side: 'input' | 'output'): number =>
    all.reduce((total, each) => total + each[side], 0);
  return { input: sum('input'), output: sum('output') };
};
