/** The endpoints below the base address (interface section 4). */
export const routes = {
  chat: { method: 'POST', path: '/chat/completions' },
  speech: { method: 'POST', path: '/audio/speech' },
  transcription: { method: 'POST', path: '/audio/transcriptions' },
  models: { method: 'GET', path: '/models' },
} as const;

/** The header for the client's request id, which some servers log. */
export const requestIdHeader = 'x-request-id';

/** The request id of Weir's check of a target before a run. That request has no key and is in no figure. */
export const preflightId = 'weir-preflight';
