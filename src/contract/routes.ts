/** The endpoints below the base address (interface, section 4). */
export const routes = {
  chat: { method: 'POST', path: '/chat/completions' },
  speech: { method: 'POST', path: '/audio/speech' },
  transcription: { method: 'POST', path: '/audio/transcriptions' },
  models: { method: 'GET', path: '/models' },
} as const;

/** The name of the header with the client's request id, which some servers write into their logs. */
export const requestIdHeader = 'x-request-id';

/**
 * The request id of the request with which Weir checks a target before a run. This request has no key, and no figure
 * includes it.
 */
export const preflightId = 'weir-preflight';
