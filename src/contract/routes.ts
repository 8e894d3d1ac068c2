/** The endpoints below the base address (interface, section 4). */
export const routes = {
  chat: { method: 'POST', path: '/chat/completions' },
  speech: { method: 'POST', path: '/audio/speech' },
  transcription: { method: 'POST', path: '/audio/transcriptions' },
  models: { method: 'GET', path: '/models' },
} as const;

/** The name of the header that carries the client's request id. Some servers write this id into their logs. */
export const requestIdHeader = 'x-request-id';

/**
 * Weir sends this request id with all requests that check a target and its keys before a load. The figures of a run do
 * not include these requests.
 */
export const preflightId = 'weir-preflight';
