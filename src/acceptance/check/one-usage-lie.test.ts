// @gate 1 s
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkQuietly } from './check-quietly.fixture.ts';
import { type DefectiveGateway, openDefectiveGateway } from './defective-gateway.fixture.ts';
import { honestUsages } from './honest-usage.fixture.ts';
import { auditFindings, changeUsage, usageLies } from './usage-audit.fixture.ts';

/** An honest usage, and one lie of two kinds; the other files have all of them. */

let gateway: DefectiveGateway;
beforeAll(async () => {
  gateway = await openDefectiveGateway();
});
afterAll(() => gateway.close());

it('an honest usage is not accused, and each of its checks says what it saw', async () => {
  const { change, text } = honestUsages[0]!;
  await gateway.show({ answer: changeUsage(change, text) });
  const report = await checkQuietly(gateway.url, { only: 'usage' });
  expect(auditFindings(report)).toEqual([]);
  expect(
    report.rows.map(({ id, outcome, observed }) => `${outcome} ${id}: ${observed}`),
  ).toMatchSnapshot();
});

it.each(usageLies.filter(({ what }) => /constant of 700|every token counted twice/.test(what)))(
  'a lie is found: $what',
  async ({ change, text }) => {
    await gateway.show({ answer: changeUsage(change, text) });
    const { rows } = await checkQuietly(gateway.url, { only: 'usage' });
    expect(
      rows
        .filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation')
        .map(({ id, outcome, observed }) => `${outcome} ${id}: ${observed}`),
    ).toMatchSnapshot();
  },
);
