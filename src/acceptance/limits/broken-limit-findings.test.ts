// @gate 3 s
import { describe, expect, it } from 'vitest';
import { type ExaminedGateway, wholeFindings } from './whole-findings.fixture.ts';

/** The findings of short examinations of gateways that have another limit than the declared one. */

const loaded = ['provocation', 'sustained'] as const;

const gateways: readonly (readonly [string, ExaminedGateway])[] = [
  [
    'a log of 12 instead of 8',
    { limits: { algorithm: 'sliding-log', requestsPerMinute: 12 }, phases: loaded },
  ],
  [
    'a weighted counter of 12',
    { limits: { algorithm: 'sliding-counter', requestsPerMinute: 12 }, phases: loaded },
  ],
  [
    'a window of 6',
    { limits: { algorithm: 'fixed-from-first', requestsPerMinute: 6 }, phases: loaded },
  ],
  ['a window of 5 s instead of 4 s', { limits: { window: 5000 }, phases: loaded }],
  [
    'a slower bucket of a half',
    {
      limits: { algorithm: 'burst-bucket', burstShare: 0.5, requestsPerMinute: 6 },
      phases: loaded,
    },
  ],
  ['a slower queue', { limits: { algorithm: 'leaky-queue', requestsPerMinute: 6 } }],
  [
    'a faster queue',
    { limits: { algorithm: 'leaky-queue', requestsPerMinute: 11 }, phases: loaded },
  ],
  [
    'a cap on requests in flight alone',
    { limits: { algorithm: 'in-flight', inFlight: 3 }, more: { service: 150 } },
  ],
  ['no limit', { limits: { requestsPerMinute: null }, phases: ['provocation', 'concurrency'] }],
  ['two workers', { limits: { workers: 2 }, phases: ['counting', 'provocation', 'concurrency'] }],
  ['others who use the key', { limits: { hiddenRequests: 2 }, phases: ['even', 'provocation'] }],
];

describe('what is sent and found', () => {
  it.each(gateways)('of %s', async (_, gateway) => {
    expect(await wholeFindings(gateway)).toMatchSnapshot();
  });
});
