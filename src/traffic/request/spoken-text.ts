import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { PrepareContext } from '../traffic-handler.ts';

/** The text of a speech request: a drawn text, or the next piece of a split text. */
export const spokenText = (
  { texts, split }: TrafficOf<'speech'>,
  { draw, ordinal }: Pick<PrepareContext, 'draw' | 'ordinal'>,
): string => (split === undefined ? draw.pick(texts) : texts[ordinal() % texts.length]!);
