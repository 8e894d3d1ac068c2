import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { pause, sleep } from '../../platform/process/pause.ts';
import { openRendezvous } from '../../platform/rendezvous/open-rendezvous.ts';
import { UnreachableRendezvous } from '../../platform/rendezvous/unreachable.ts';
import { type FollowedStops, StoppedBeforeLoad } from '../../run/input/follow-stops.ts';
import type { Host, StopCause } from '../../run/input/host.ts';
import { Problem } from '../../platform/problem.ts';

/** If the server does not answer, a connection is attempted again after this many ms. */
const connectInterval = 1000;

/**
 * Opens a rendezvous. If the server of the rendezvous is still starting, waits at most `wait` ms. Throws a `Problem` if
 * the rendezvous cannot be opened, and `StoppedBeforeLoad` if the user stops first.
 */
export const reachRendezvous = async (
  { rendezvous, wait }: { readonly rendezvous: string; readonly wait: number },
  { environment, printer }: Host,
  { onStop }: FollowedStops,
): Promise<Rendezvous> => {
  const until = monotonicNow() + wait;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await openRendezvous(rendezvous, environment);
    } catch (error) {
      if (!(error instanceof UnreachableRendezvous) || monotonicNow() >= until) throw error;
      if (attempts === 1) printer.say(`Trying again each second: ${error.message}`);
    }
    const stoppedBy = await pause<StopCause>(connectInterval, onStop);
    if (stoppedBy !== null) throw new StoppedBeforeLoad(stoppedBy);
  }
};

/** The wait before a failed operation is tried again, in ms. */
const retryInterval = 250;

/**
 * Repeats an operation on a rendezvous until it succeeds. If the operation still fails after `patience` ms, throws the
 * last `Problem`.
 */
export const persist = async <T>(patience: number, work: () => Promise<T>): Promise<T> => {
  const until = monotonicNow() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || monotonicNow() >= until) throw error;
    }
    await sleep(retryInterval);
  }
};
