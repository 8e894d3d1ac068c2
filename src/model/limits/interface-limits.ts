/** What the interface (8) limits for each API key where a gateway says nothing else. */
export const interfaceLimits = { requestsPerMinute: 60, tokensPerMinute: 2_000_000 } as const;
