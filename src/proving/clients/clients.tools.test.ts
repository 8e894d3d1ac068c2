import { expect, it, vi } from 'vitest';
import { openMock } from '../../acceptance/harness/open-mock.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { installClient, runDriver } from './client-tools.fixture.ts';
import { expectedClients, expectedOf, features } from './expectations.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

const none = milliseconds(0);
const fast = {
  ttft: none,
  gap: none,
  speech: { base: none, perCharacter: none },
  transcription: { base: none, perSecond: none },
};

/** A value as it was seen, or the class and status of an error. */
const plainOf = (seen: unknown): unknown =>
  typeof seen === 'object' && seen !== null && 'error' in seen && 'status' in seen
    ? [seen.error, seen.status]
    : seen;

it.for(expectedClients)(
  '$name sees of the reference gateway what the table says',
  async (client, { skip }) => {
    const installed = await installClient(client);
    if ('missing' in installed) return skip(installed.missing);
    const gateway = await openMock({ ...fast, limits: { requestsPerMinute: null } });
    const limited = await openMock({ ...fast, limits: { requestsPerMinute: 1 } });
    const seen = await runDriver(client, installed.folder, {
      url: gateway.url,
      limited: limited.url,
    });
    const expected = Object.fromEntries(
      features.map((feature) => [feature, expectedOf(client, feature)]),
    );
    const observed = Object.fromEntries(
      features.map((feature) => [feature, plainOf(seen[feature])]),
    );
    expect(observed, JSON.stringify(seen)).toEqual(expected);
    expect(Object.keys(seen).filter((name) => !features.some((each) => each === name))).toEqual([]);
  },
);
