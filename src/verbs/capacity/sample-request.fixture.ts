import type { CapacityRequest } from './capacity-request.ts';

/** A request for a search with the usual options and no source. */
export const sampleRequest: CapacityRequest = {
  source: null,
  from: [],
  think: undefined,
  start: undefined,
  top: undefined,
  precision: undefined,
  requests: '50000',
  time: '30m',
  yes: false,
  out: undefined,
};
