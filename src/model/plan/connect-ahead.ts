import { type Plan, saturateLoadOf } from './plan.ts';

/**
 * Returns whether connections are opened before their requests are due. With undici, a pace or a saturating load, they
 * cannot be. If the time to connect is measured, they are not either: an objective names that time, or every request
 * opens a connection.
 */
export const connectsAhead = (plan: Plan): boolean =>
  plan.wire.connectAhead === true &&
  plan.wire.reuse !== false &&
  plan.pace === null &&
  plan.transport === 'socket' &&
  saturateLoadOf(plan) === null &&
  !plan.objectives.some(({ figure }) => figure.name === 'connect') &&
  !plan.perRequest.some(({ measure }) => measure === 'connect');
