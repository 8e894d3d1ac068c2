import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant } from '../../model/quantity.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import { openLivePage } from './live-page.ts';
import { createSnapshotPace, snapshotInterval } from './snapshot-pace.ts';

/** What a run sends to the process of its live page, and what it does with the answers; a fake replaces the process. */

const folder = mkdtempSync(join(tmpdir(), 'weir-live-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = async (line = '{"address":"http://127.0.0.1:4/"}') => {
  const page = {
    written: [] as string[],
    backlog: 0,
    ended: null as string | null,
    stops: 0,
    setup: null as unknown,
    prints: ((): void => undefined) as (line: string) => void,
  };
  const said = { addresses: [] as string[], warned: [] as string[], stops: 0 };
  const pace = createSnapshotPace();
  const opened = await openLivePage(
    { port: 7, onAddress: (address) => void said.addresses.push(address) },
    { plan: samplePlan(), folder, pace },
    { warn: (text) => void said.warned.push(text), requestStop: () => void (said.stops += 1) },
    async (entry, setup) => {
      expect(entry.pathname).toMatch(/\/run\/live\/page-process\.ts$/);
      page.setup = setup;
      return {
        ok: true,
        pid: 1,
        line,
        onLine: (listener) => void (page.prints = listener),
        write: (text) => void page.written.push(text),
        backlog: () => page.backlog,
        ended: () => page.ended,
        stop: async () => void (page.stops += 1),
      };
    },
  ).catch((error: unknown) => error as Error);
  return { opened, page, said, pace };
};
const openPage = async () => {
  const { opened, ...rest } = await open();
  if (opened instanceof Error) throw opened;
  const { write, onTick, onPublished, close } = opened;
  const tick = (elapsed: number, due = 9) =>
    onTick?.(instant(elapsed), { due, inFlight: 2, endedBefore: instant(elapsed - 5) });
  const linesOf = () => rest.page.written.map((line) => JSON.parse(line) as object);
  return { ...rest, write, tick, onPublished, close, linesOf };
};
const progress = (elapsed: number, due = 9) => ({
  live: { progress: { elapsed, due, inFlight: 2, endedBefore: elapsed - 5 } },
});

describe('the live page of a run', () => {
  it('gets the port to listen on and what is planned, and its address is shown', async () => {
    const { page, said } = await openPage();
    expect(page.setup).toEqual({
      port: 7,
      weir: weirVersion(),
      name: 'sample',
      planned: 25_000,
      report: join(folder, 'report.html'),
    });
    expect(said).toEqual({ addresses: ['http://127.0.0.1:4/'], warned: [], stops: 0 });
  });

  it('that cannot listen is a problem with its port', async () => {
    const { opened, page, said } = await open('{"problem":"EADDRINUSE"}');
    expect((opened as Error).message).toBe(
      '--live: port 7 of 127.0.0.1 cannot be used to listen: EADDRINUSE. Give another one, or leave it out for any that is free',
    );
    expect([page.stops, said.addresses]).toEqual([1, []]);
  });

  it('gets each line of the checkpoint, and the progress once a second', async () => {
    const { page, write, tick, linesOf } = await openPage();
    write('{"format":"checkpoint/1"}');
    expect(page.written).toEqual(['{"format":"checkpoint/1"}\n']);
    page.written.length = 0;
    for (const elapsed of [-250, 0, 250, 500, 750, 979, 980, 1000, 1959, 1960, 2000]) tick(elapsed);
    expect(linesOf()).toEqual([progress(0), progress(980), progress(1960)]);
  });

  it('asks for more snapshots while it has readers, and stops the run if one asks for it', async () => {
    const { page, said, pace } = await openPage();
    page.prints('{"readers":1}');
    expect(snapshotInterval(pace)).toBe(1000);
    for (const noise of ['no JSON', '{"readers":"many"}', '{"readers":0,"more":1}'])
      page.prints(noise);
    expect([snapshotInterval(pace), said.stops]).toEqual([1000, 0]);
    page.prints('{"readers":0}');
    expect(snapshotInterval(pace)).toBe(5000);
    page.prints('{"stop":true}');
    expect([snapshotInterval(pace), said.stops]).toEqual([5000, 1]);
  });

  it('is given up if its process has ended, which is said once', async () => {
    const { page, said, pace, write, tick, linesOf } = await openPage();
    page.prints('{"readers":1}');
    tick(0);
    page.ended = 'SIGKILL';
    tick(250);
    tick(2000);
    write('{}');
    expect(linesOf()).toEqual([progress(0)]);
    expect(said.warned).toEqual(['The live page has ended (SIGKILL); the run goes on.']);
    expect([snapshotInterval(pace), page.stops]).toEqual([5000, 1]);
  });

  it('is given up if it leaves more than 16 MiB unread', async () => {
    const { page, said, write } = await openPage();
    page.backlog = 16_777_216;
    write('{}');
    expect(said.warned).toEqual([]);
    page.backlog += 1;
    write('{}');
    page.backlog = 0;
    write('{}');
    expect(said.warned).toEqual([
      'The live page has ended (its process does not keep up); the run goes on.',
    ]);
    expect(page.written).toEqual(['{}\n']);
  });

  it('gets the report at the end, if it was written', async () => {
    const { page, onPublished, close, linesOf } = await openPage();
    await onPublished?.('pass');
    writeFileSync(join(folder, 'report.html'), '<html>');
    await onPublished?.('unwritten');
    await onPublished?.('pass');
    expect(linesOf().map((line) => (line as { live: object }).live)).toEqual([
      { finished: null },
      { finished: null },
      { finished: '<html>' },
    ]);
    expect(page.stops).toBe(0);
    await close?.();
    expect(page.stops).toBe(1);
  });
});
