/** The endpoints below the base address (interface section 4). */
export const routes = {
  chat: { method: 'POST', path: '/chat/completions' },
  speech: { method: 'POST', path: '/audio/speech' },
  transcription: { method: 'POST', path: '/audio/transcriptions' },
  models: { method: 'GET', path: '/models' },
} as const;

/** The header by which a client names a request; servers that honour it write it to their logs. */
export const requestIdHeader = 'x-request-id';

/**
 * The id of Weir's own look at a target before a run. It carries no key and is no part of any
 * figure; the reference gateway counts it apart.
 */
export const preflightId = 'weir-preflight';
