import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from '../../record/tally.ts';
import { weir } from '../harness/weir-command.fixture.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-report-verb-'));
afterAll(() => rmSync(home, { recursive: true }));

const tally = emptyTally(samplePlan());
recordObservation(tally, answeredChat(3000, 200));
const file = join(home, 'result.json');
writeFileSync(file, JSON.stringify(toResult(tally, sampleFacts([{ index: 0, count: 1 }]))));

it('weir report writes the page beside a result, whether the file or its folder is named', async () => {
  for (const named of [file, home]) {
    const { stdout, stderr } = await weir(['report', named]);
    expect(stderr).toContain(`Report: ${join(home, 'report.html')}`);
    expect(stdout).not.toBe('');
  }
});

it.each([
  [['--observations', 'o.jsonl'], '--observations: nothing is made of them without --requests'],
  [['--requests', 'r.csv'], '--requests: a result has the distributions of all requests'],
])('weir report with %j alone says what is missing', async (words, message) => {
  const { code, stderr } = await weir(['report', file, ...words]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
