import type { Arrival } from '../model/workload/arrival.ts';
import type { Draw } from '../model/workload/draw.ts';
import type { PromptSource } from '../model/workload/prompt-source.ts';
import { modelOf, type Traffic } from '../model/workload/traffic.ts';
import type { ChatContent } from '../model/workload/workload.ts';
import { drawEntry, ordinalOf } from './ordinal.ts';
import type { Credential, SliceOptions } from './slice-options.ts';

/** Everything about a request that is drawn. */
export interface RequestContent {
  readonly requestId: string;
  readonly traffic: Traffic;
  readonly model: string | null;
  readonly credential: Credential;
  /** For whatever else the kind of traffic draws. */
  readonly draw: Draw;
  /** Which of its entry's requests it is. */
  readonly ordinal: () => number;
  /** What a chat whose prompts do not stand in the plan asks, by `draw`. */
  readonly ask: (source: PromptSource) => ChatContent;
}

/** What contents are drawn from. */
type ContentSource = Pick<SliceOptions, 'plan' | 'credentials' | 'runId' | 'workload'>;

/** The content of request (stage, index); equal for any number of slices. */
export const drawRequestContent = (order: ContentSource, arrival: Arrival): RequestContent => {
  const { plan, credentials, runId, workload } = order;
  const { stage, index } = arrival;
  const { draw, traffic } = drawEntry(plan, arrival);
  const credential = draw.pick(credentials, ({ weight }) => weight);
  const requestId = `${runId}-${stage}-${index}`;
  const ask = (source: PromptSource): ChatContent => workload.chatContentFor(source, arrival, draw);
  const ordinal = (): number => ordinalOf(plan, arrival, traffic);
  return { requestId, traffic, model: modelOf(traffic), credential, draw, ordinal, ask };
};
