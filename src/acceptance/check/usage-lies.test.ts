// @gate 2 s
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkQuietly } from './check-quietly.fixture.ts';
import { type DefectiveGateway, openDefectiveGateway } from './defective-gateway.fixture.ts';
import { honestUsages } from './honest-usage.fixture.ts';
import { auditFindings, changeUsage, usageLies } from './usage-audit.fixture.ts';

// `usage-audit.test.ts` tries all of them.
let gateway: DefectiveGateway;
beforeAll(async () => {
  gateway = await openDefectiveGateway();
});
afterAll(() => gateway.close());

it.each(
  usageLies.filter(({ check }, n) => n === usageLies.findIndex((one) => one.check === check)),
)('the first lie of its check is found: $what', async ({ change, text, check, observed }) => {
  await gateway.show({ answer: changeUsage(change, text) });
  const { rows } = await checkQuietly(gateway.url, { only: 'usage' });
  const row = rows.find(({ id }) => id === `usage.${check}`);
  expect(row?.observed).toContain(observed);
  expect(['violation', 'deviation']).toContain(row?.outcome);
});

it('an honest usage is not accused', async () => {
  const { change, text } = honestUsages[0]!;
  await gateway.show({ answer: changeUsage(change, text) });
  expect(auditFindings(await checkQuietly(gateway.url, { only: 'usage' }))).toEqual([]);
  expect(gateway.changed()).toBeGreaterThan(0);
});
