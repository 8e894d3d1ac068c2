import { createHash } from 'node:crypto';
import { drawFrom } from '../../model/draw.ts';
import { type FaultName, faultNames, type FaultRule } from '../../model/mock-faults.ts';
import type { Exchange } from '../exchange.ts';
import type { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { RouteName } from '../tally.ts';
import { faultCatalogue } from './catalogue.ts';
import type { Fault, Faulted } from './fault.ts';

/** By this header a request asks for a fault of its own, where the settings allow it. */
const faultHeader = 'x-weir-fault';

/** A fault that a request is to show. */
export interface Chosen {
  readonly name: FaultName;
  readonly fault: Fault;
  readonly how: Pick<Faulted, 'after' | 'delay'>;
}

/** Chooses the fault of a request: the one that its header names, else that of the first rule that takes it. */
export type Chooser = (route: RouteName, exchange: Exchange) => Chosen | Refusal | null;

const choice = (name: FaultName, rule: Partial<FaultRule> = {}): Chosen => {
  const fault: Fault = faultCatalogue[name];
  const how = { after: rule.after ?? fault.after ?? 0, delay: rule.delay ?? fault.delay ?? 0 };
  return { name, fault, how };
};

/** Chance is keyed by seed, request and rule, so that the order of requests does not change it. */
const isDrawn = (probability: number, seed: number, id: string, rule: number): boolean => {
  const digest = createHash('sha256').update(id).digest();
  const words = new Uint32Array(digest.buffer, digest.byteOffset, 4);
  return drawFrom(seed, ...words, rule).uniform() < probability;
};

/** Whether the `count`-th request that a rule is about shows its fault. */
const isTurn = ({ every, nth, for: length }: FaultRule, count: number): boolean => {
  if (nth !== undefined) return count >= nth && (length === null || count < nth + length);
  if (every === undefined || count < every) return false;
  return length === null || count % every < length;
};

const isFaultName = (name: string): name is FaultName =>
  (faultNames as readonly string[]).includes(name);

const asked = (name: string): Chosen | Refusal =>
  isFaultName(name)
    ? choice(name)
    : {
        cause: 'invalid-parameter',
        message: `Invalid ${faultHeader}: there is no fault ${JSON.stringify(name)}; there are ${faultNames.join(', ')}.`,
      };

/** A chooser that has seen no request. */
export const openChooser = ({ faults, faultHeader: isHeeded, seed }: Settings): Chooser => {
  const counts = faults.map(() => 0);
  const takes = (rule: FaultRule, index: number, route: RouteName, id: string): boolean => {
    if (rule.routes?.includes(route) === false) return false;
    const count = (counts[index] ?? 0) + 1;
    counts[index] = count;
    return rule.probability === undefined
      ? isTurn(rule, count)
      : isDrawn(rule.probability, seed, id, index);
  };
  return (route, { id, request }) => {
    const name = request.headers[faultHeader];
    if (isHeeded && typeof name === 'string') return asked(name);
    // Every rule counts every request that it is about, whichever of them takes it.
    const [rule] = faults.filter((each, index) => takes(each, index, route, id));
    return rule === undefined ? null : choice(rule.fault, rule);
  };
};
