/** The endpoints below the base address (interface section 4). */
export const routes = {
  chat: { method: 'POST', path: '/chat/completions' },
  speech: { method: 'POST', path: '/audio/speech' },
  transcription: { method: 'POST', path: '/audio/transcriptions' },
  models: { method: 'GET', path: '/models' },
} as const;

/** The header for the client's request id; servers that support it write it to their logs. */
export const requestIdHeader = 'x-request-id';

/**
 * The request id of Weir's check of a target before a run. The request has no key and is part of no figure; the
 * reference gateway counts it separately.
 */
export const preflightId = 'weir-preflight';
