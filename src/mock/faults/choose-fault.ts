import { createHash } from 'node:crypto';
import { drawFrom } from '../../model/workload/draw.ts';
import { type FaultName, faultNames, type FaultRule } from '../../model/gateway/mock-faults.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import type { Settings } from '../settings/settings.ts';
import type { RouteName } from '../counters/mock-counters.ts';
import { errorAnswers, wireFaults } from './answer-faults.ts';
import type { FaultContext, MockFault } from './fault.ts';
import { endingFaults, streamFaults } from './stream-faults.ts';

/** The header in which a request can name its own fault, if the settings allow this. */
const faultHeader = 'x-weir-fault';

const faultCatalogue: Readonly<Record<FaultName, MockFault>> = {
  ...errorAnswers,
  ...wireFaults,
  ...streamFaults,
  ...endingFaults,
};

type ChosenFault = MockFault & Pick<FaultContext, 'after' | 'delay'> & { readonly name: FaultName };

const chosenFault = (name: FaultName, rule: Partial<FaultRule> = {}): ChosenFault => {
  const fault = faultCatalogue[name];
  const { after = fault.after ?? 0, delay = fault.delay ?? 0 } = rule;
  return { ...fault, name, after, delay };
};

/**
 * Draws whether a rule applies to a request. The draw depends only on the seed, the request and the rule, so the order
 * of requests does not matter.
 */
const isDrawn = (probability: number, seed: number, id: string, rule: number): boolean => {
  const digest = createHash('sha256').update(id).digest();
  const words = new Uint32Array(digest.buffer, digest.byteOffset, 4);
  return drawFrom(seed, ...words, rule).uniform() < probability;
};

/** Decides whether the fault of a rule applies to the `count`-th request on the rule's routes. */
const isScheduled = ({ every, nth, for: length }: FaultRule, count: number): boolean => {
  if (nth !== undefined) return count >= nth && (length === null || count < nth + length);
  if (every === undefined || count < every) return false;
  return length === null || count % every < length;
};

const faultFromHeader = (header: string): ChosenFault => {
  const name = faultNames.find((each) => each === header);
  if (name !== undefined) return chosenFault(name);
  const message = `Invalid ${faultHeader}: unknown fault ${JSON.stringify(header)}; choose from ${faultNames.join(', ')}.`;
  throw new RequestRefusal('invalid-parameter', message);
};

/**
 * Creates a function that chooses the fault of a request: the fault that the request's header names, or else the fault
 * of the first rule that applies.
 */
export const openFaultChooser = ({ faults, faultHeader: allowsHeader, seed }: Settings) => {
  const counts = faults.map(() => 0);
  const appliesTo = (rule: FaultRule, index: number, route: RouteName, id: string): boolean => {
    if (rule.routes?.includes(route) === false) return false;
    const count = (counts[index] ?? 0) + 1;
    counts[index] = count;
    return rule.probability === undefined
      ? isScheduled(rule, count)
      : isDrawn(rule.probability, seed, id, index);
  };
  return (route: RouteName, { id, request }: MockExchange): ChosenFault | null => {
    const name = request.headers[faultHeader];
    if (allowsHeader && typeof name === 'string') return faultFromHeader(name);
    // Every rule counts every request on its routes, even if another rule applies to the request.
    const [rule] = faults.filter((each, index) => appliesTo(each, index, route, id));
    return rule === undefined ? null : chosenFault(rule.fault, rule);
  };
};

/** Makes a request show its fault. The end of the request is then counted under the fault's name. */
export const applyFault = (
  { name, scope, run, after, delay }: ChosenFault,
  exchange: MockExchange,
  clock: MockClock,
): void => {
  const show = (): void => {
    exchange.fault = name;
  };
  if (scope !== 'stream') show();
  run({ exchange, clock, show, after, delay });
};
