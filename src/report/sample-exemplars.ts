import type { Exemplar } from '../model/exemplar.ts';
import type { Observation } from '../model/observation.ts';

/** Test support: some requests of a sample run told by themselves, the slowest ones and the first failed ones. */

const told = ({ requestId, head, outcome, ...each }: Observation): Exemplar => ({
  ...{ requestId, serverId: head?.serverId ?? null, traffic: each.traffic, model: each.model },
  ...{ key: each.key, stage: each.stage, outcome: outcome.kind, status: head?.status ?? null },
  cause: 'refusal' in outcome ? outcome.refusal.code : null,
  ...{ attempts: 1, connection: each.connection, due: each.due, released: each.released },
  ...{ begun: each.begun, connected: each.connected, sent: each.sent, head: head?.at ?? null },
  output:
    outcome.kind === 'completed' && outcome.answer.kind === 'chat-stream'
      ? outcome.answer.firstToken
      : null,
  ended: each.ended,
});

export const sampleExemplars = (observations: readonly Observation[]): readonly Exemplar[] => {
  const completed = observations.filter(({ outcome }) => outcome.kind === 'completed');
  const failed = observations.filter(({ outcome }) => outcome.kind !== 'completed');
  return [
    ...completed.toSorted((a, b) => b.ended - b.due - (a.ended - a.due)).slice(0, 5),
    ...failed.slice(0, 5),
  ].map(told);
};
