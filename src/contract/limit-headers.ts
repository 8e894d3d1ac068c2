/**
 * The headers in which every response reports the limits of its key, and what remains of these limits (interface,
 * section 8).
 */
export const limitHeaders = {
  limitRequests: 'x-ratelimit-api_key-limit-requests',
  remainingRequests: 'x-ratelimit-api_key-remaining-requests',
  limitTokens: 'x-ratelimit-api_key-limit-tokens',
  remainingTokens: 'x-ratelimit-api_key-remaining-tokens',
} as const;
export type LimitHeader = keyof typeof limitHeaders;

const integer = /^-?\d{1,15}$/;

/**
 * Reads the four rate-limit headers. A value is `null` if its header is absent or not an integer. Returns `null` if all
 * four headers are absent.
 */
export const readLimitHeaders = (
  headers: Readonly<Record<string, string>>,
): Record<LimitHeader, number | null> | null => {
  let found = false;
  const read = (name: LimitHeader): number | null => {
    const text = headers[limitHeaders[name]]?.trim();
    if (text === undefined) return null;
    found = true;
    return integer.test(text) ? Number(text) : null;
  };
  const quota = {
    limitRequests: read('limitRequests'),
    remainingRequests: read('remainingRequests'),
    limitTokens: read('limitTokens'),
    remainingTokens: read('remainingTokens'),
  };
  return found ? quota : null;
};
