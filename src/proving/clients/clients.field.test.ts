// @long 38 s
import { expect, it, vi } from 'vitest';
import { openMock } from '../../acceptance/harness/open-mock.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { expectedClients, expectedOf, features } from './expectations.fixture.ts';
import { runDriver } from './run-driver.ts';

// The first run installs the clients.
vi.setConfig({ testTimeout: 900_000 });

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
  async (client, context) => {
    const gateway = await openMock({ ...fast, limits: { requestsPerMinute: null } });
    const limited = await openMock({ ...fast, limits: { requestsPerMinute: 1 } });
    const seen = await orSkip(context, () =>
      runDriver(client, { url: gateway.url, limited: limited.url }),
    );
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
