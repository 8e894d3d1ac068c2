import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { PrepareContext } from '../traffic-handler.ts';

/** What a request of speech speaks: a text that is drawn, or the next piece of those that were cut. */
export const spokenText = (
  { texts, split }: TrafficOf<'speech'>,
  { draw, ordinal }: Pick<PrepareContext, 'draw' | 'ordinal'>,
): string => (split === undefined ? draw.pick(texts) : texts[ordinal() % texts.length]!);
