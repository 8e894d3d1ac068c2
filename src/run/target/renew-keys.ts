import type { Credential } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';

/** A key that a command prints, and when the key must be renewed. */
export interface RenewableKey {
  readonly index: number;
  /** The time for which the key is valid, in ms. */
  readonly lifetime: number;
  /** Runs the command again, and resolves with the new key. Throws a `Problem` if the command prints no key. */
  readonly read: () => Promise<string>;
  /** When the key was last read, in ms on the machine's monotonic clock. */
  readAt: number;
}

interface RenewableTarget {
  readonly credentials: readonly Credential[];
  readonly secrets: string[];
  readonly renewableKeys: readonly RenewableKey[];
}

/**
 * Every `checkInterval` ms, Weir checks which keys must be renewed. It runs a failed command again after `retryDelay`
 * ms.
 */
const [checkInterval, retryDelay] = [500, 10_000];
/**
 * A key is renewed after nine tenths of its lifetime, but at most this many ms before the end. It is not renewed at the
 * end, since the command and the requests in flight take time.
 */
const longestMargin = 60_000;

/** Returns the age at which a key with the given lifetime is renewed, both in ms. */
export const renewalAge = (lifetime: number): number =>
  lifetime - Math.min(longestMargin, lifetime / 10);

/**
 * Renews keys during a load by running the commands that print the keys. If a command fails, the old key stays in use,
 * the failure is reported once, and the command runs again later. `onRenewed` sends a new key to workers. Returns
 * the function that ends the renewal.
 */
export const renewKeys = (
  { credentials, secrets, renewableKeys }: RenewableTarget,
  clock: Clock,
  say: (text: string) => void,
  onRenewed: (index: number, value: string) => void,
): (() => void) => {
  if (renewableKeys.length === 0) return () => undefined;
  let isOver = false;
  const waiting = new Set<RenewableKey>();
  const said = new Set<RenewableKey>();
  const renew = async (key: RenewableKey): Promise<void> => {
    const begun = monotonicNow();
    try {
      const value = await key.read();
      key.readAt = begun;
      if (isOver) return;
      secrets.push(value);
      credentials[key.index]!.value = value;
      onRenewed(key.index, value);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      key.readAt = begun - Math.max(0, renewalAge(key.lifetime) - retryDelay);
      if (!isOver && !said.has(key))
        say(`A key could not be renewed, and the old one is kept: ${error.message}`);
      said.add(key);
    } finally {
      waiting.delete(key);
    }
  };
  const stop = clock.every(checkInterval, () => {
    for (const key of renewableKeys) {
      if (waiting.has(key) || monotonicNow() - key.readAt < renewalAge(key.lifetime)) continue;
      waiting.add(key);
      void renew(key);
    }
  });
  return () => {
    isOver = true;
    stop();
  };
};
