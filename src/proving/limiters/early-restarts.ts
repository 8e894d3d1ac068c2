import { type ProbeReply, reportedLimitOf } from '../../model/limits/limit-log.ts';

/** The instants at which a key's rest was whole again, by the headers of its answers, in ms. */
const freshInstants = (replies: readonly ProbeReply[]): readonly number[] =>
  replies
    .filter((reply) => {
      const { limit = null, remaining } = reportedLimitOf(reply, 'requests') ?? {};
      return reply.key === 'first' && limit !== null && remaining === limit - 1;
    })
    .map(({ answered }) => answered)
    .toSorted((a, b) => a - b);

/**
 * Whether a gateway's own headers show that it began a window more than `early` ms before the last one was over: it gave out the
 * limit again, so an examination that accuses it is right.
 */
export const restartsEarly = (
  { replies }: { readonly replies: readonly ProbeReply[] },
  { window, early }: { readonly window: number; readonly early: number },
): boolean => {
  const fresh = freshInstants(replies);
  return fresh.some((at, place) => place > 0 && at - fresh[place - 1]! < window - early);
};
