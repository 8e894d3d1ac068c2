import { type Plan, saturateLoadOf } from './plan.ts';

/**
 * Whether connections are opened before their requests are due. Undici, a pace and a saturating load cannot do
 * that. It is also off if connecting is measured: an objective is about it, or each request opens a connection.
 */
export const connectsAhead = (plan: Plan): boolean =>
  plan.wire.connectAhead === true &&
  plan.wire.reuse !== false &&
  plan.pace === null &&
  plan.transport === 'socket' &&
  saturateLoadOf(plan) === null &&
  !plan.objectives.some(({ figure }) => figure.name === 'connect') &&
  !plan.perRequest.some(({ measure }) => measure === 'connect');
