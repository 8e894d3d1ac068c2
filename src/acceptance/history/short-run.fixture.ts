/**
 * A scenario that ends within a second. It leaves half a second for the last answer, so that it falls into the measured
 * seconds on a busy machine too.
 */
export const shortScenario = `
name: short
traffic: [{ kind: models }]
load: { kind: constant, rate: 2/s, duration: 1s }
limits: { requestsPerMinute: none, tokensPerMinute: none }
mock: { limits: { requestsPerMinute: none } }
`;
