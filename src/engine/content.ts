import type { Arrival } from '../model/arrival.ts';
import type { Draw } from '../model/draw.ts';
import type { PromptSource } from '../model/prompt-source.ts';
import { modelOf, type Traffic } from '../model/traffic.ts';
import type { Asked } from '../model/workload.ts';
import { drawEntry, ordinalOf } from './ordinal.ts';
import type { Credential, SliceOrder } from './slice-order.ts';

/** Everything about a request that is drawn. */
export interface Content {
  readonly requestId: string;
  readonly traffic: Traffic;
  readonly model: string | null;
  readonly credential: Credential;
  /** For whatever else the kind of traffic draws. */
  readonly draw: Draw;
  /** Which of its entry's requests it is. */
  readonly ordinal: () => number;
  /** What a chat whose prompts do not stand in the plan asks, by `draw`. */
  readonly ask: (source: PromptSource) => Asked;
}

/** What contents are drawn from. */
type Drawn = Pick<SliceOrder, 'plan' | 'credentials' | 'runId' | 'workload'>;

/** The content of request (stage, index); equal for any number of slices. */
export const contentOf = (order: Drawn, arrival: Arrival): Content => {
  const { plan, credentials, runId, workload } = order;
  const { stage, index } = arrival;
  const { draw, traffic } = drawEntry(plan, arrival);
  const credential = draw.pick(credentials, ({ weight }) => weight);
  const requestId = `${runId}-${stage}-${index}`;
  const ask = (source: PromptSource): Asked => workload.ask(source, arrival, draw);
  const ordinal = (): number => ordinalOf(plan, arrival, traffic);
  return { requestId, traffic, model: modelOf(traffic), credential, draw, ordinal, ask };
};
