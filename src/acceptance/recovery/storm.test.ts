// @gate 1 s
import { expect, it } from 'vitest';
import { calmPlan, capacity, recoverVirtual, storm } from './overloaded-server.fixture.ts';

it('says that retries keep a server down where they alone are more than it serves', async () => {
  expect(10 * 5).toBeGreaterThan(capacity);
  const { policies } = await recoverVirtual(storm, calmPlan(1, 10, { attempts: 5 }), {
    policies: ['backoff'],
    overload: 4000,
    watch: 30_000,
  });
  expect(policies[0]).toMatchObject({ state: 'kept', after: null });
  expect(policies[0]!.watched).toMatchObject({ good: 0, attempts: 5 });
});
