import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { runFacts } from '../input/run-facts.ts';
import { requestLines } from '../input/requests-table.ts';
import { collectLiveFigures } from './live-display.ts';
import type { RunObserver } from './observer.ts';
import { openObservationFile, openRequestsFile } from './request-files.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-requests-'));
afterAll(() => rmSync(home, { recursive: true }));
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(home, 'run-'));
});

const plan = samplePlan();
const facts = runFacts(plan, 'mine');
const startedAt = '2026-07-01T10:20:30.000Z';
const seen = [answeredChat(3000, 200), answeredChat(4000, 250)];
const begin = (observer: RunObserver) =>
  observer.onStart?.({ startedAt, clock: { machineZero: 77 }, notes: [], local: null } as never);
const update = (lines: { observationLines?: string[]; requestLines?: string[] }) => ({
  figures: collectLiveFigures().take(),
  observationLines: [],
  requestLines: [],
  checkpointLines: [],
  observations: [],
  ...lines,
});
const linesIn = (path: string) => readFileSync(path, 'utf8').split('\n');

describe('the file of observations', () => {
  it('has a header, and what this thread and workers observed, and is named at the end', async () => {
    const said: string[] = [];
    const path = join(folder, 'o.jsonl');
    writeFileSync(path, 'an earlier run');
    const observer = await openObservationFile(path, facts, (text) => said.push(text));
    begin(observer);
    observer.onObservation?.(seen[0]!);
    observer.onWorkerUpdate?.(update({ observationLines: ['one', 'two'] }));
    expect(said).toEqual([]);
    await observer.onPublished?.('pass');
    const [header = '', ...lines] = linesIn(path);
    expect(JSON.parse(header)).toEqual({
      format: 'observations/1',
      weir: facts.weir,
      runId: 'mine',
      planHash: facts.planHash,
      startedAt,
      machineZero: 77,
    });
    expect(lines).toEqual([observationLine(seen[0]!), 'one', 'two', '']);
    expect(said).toEqual([`Observations: ${path}`]);
  });

  it('is not there if the run did not begin', async () => {
    const observer = await openObservationFile(join(folder, 'o.jsonl'), facts, () => undefined);
    await observer.discard?.();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the table of requests', () => {
  const open = async (path = join(folder, 'requests.csv')) => {
    const said: string[] = [];
    const observer = await openRequestsFile(path, plan, (text) => said.push(text));
    return { path, said, observer };
  };

  it('has a row for each arrival, at its time of day', async () => {
    const { path, said, observer } = await open();
    // Nothing is due before the clock starts.
    observer.onObservation?.(seen[0]!);
    begin(observer);
    for (const observation of seen) observer.onObservation?.(observation);
    observer.onWorkerUpdate?.(update({ requestLines: ['one\r', 'two\r'] }));
    const [file] = observer.files ?? [];
    expect([file?.title, file?.path, said]).toEqual(['Requests', path, []]);
    await file?.write();
    const lineOf = requestLines('csv', { plan, zero: Date.parse(startedAt) });
    const [head = '', ...rows] = linesIn(path);
    expect(head).toContain('due_at');
    expect(rows).toEqual([...seen.map(lineOf), 'one\r', 'two\r', '']);
    expect(rows[0]).toContain('2026-07-01T10:20:33.000Z');
  });

  it('says that an earlier one is overwritten, which a run that does not begin leaves', async () => {
    const path = join(folder, 'requests.csv');
    writeFileSync(path, 'an earlier table');
    const { said, observer } = await open(path);
    expect(said).toEqual([`${path} is overwritten.`]);
    begin(observer);
    await observer.discard?.();
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([
      ['requests.csv'],
      'an earlier table',
    ]);
  });

  it('of another form than a table is refused by its name', async () => {
    await expect(open(join(folder, 'requests.txt'))).rejects.toThrow(
      '--requests: expected a file whose name ends in .csv or .parquet, for example requests.csv; got ',
    );
  });
});
