// @gate 3 s
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSweeps, sweepReportIn } from './started-sweep.fixture.ts';

const { start, sent, origin } = openSweeps();

describe.concurrent('a sweep', () => {
  it('makes each run of each point in its order and folder, and writes what it found', async () => {
    const { exit, out, said, printed, warned, listed } = start('fine', { pause: '1ms' });
    await exit;
    const report = await sweepReportIn(out);
    expect(report).toMatchObject({
      format: 'sweep/1',
      name: 'swept',
      target: `${origin()}/fine`,
      seed: 4,
      repetitions: 1,
      objectives: [],
      partial: null,
    });
    expect(report.points.map(({ values }) => values)).toEqual([['100/s'], ['200/s']]);
    expect(report.points.map(({ runs }) => runs.map((run) => run.folder))).toEqual([
      ['runs/01-1'],
      ['runs/02-1'],
    ]);
    const orders = report.points.flatMap(({ runs }) => runs.map(({ order }) => order));
    expect(orders.toSorted((a, b) => a - b)).toEqual([1, 2]);
    for (const { values, runs } of report.points)
      for (const run of runs) {
        const stored = JSON.parse(await readFile(join(out, run.folder, 'result.json'), 'utf8'));
        expect(stored.plan.name).toBe(`swept: load.rate=${values[0]}`);
        expect(stored.runId).toMatch(new RegExp(`-${run.order}$`));
        expect(said).toContain(`Run ${run.order} of 2: load.rate=${values[0]}`);
      }
    // Between two runs there is one pause.
    expect(said.filter((line) => line.startsWith('Pausing'))).toEqual([
      'Pausing 1 ms, so that the limits recover.',
    ]);
    expect(warned).toEqual([]);
    expect(JSON.parse(printed[0]!.json!)).toEqual(report);
    expect(listed.join('\n')).toContain(join(out, 'sweep.html'));
    expect(sent.get('/fine/chat/completions')).toHaveLength(4 + 8);
  });

  it('ends after two runs in a row that could not begin, and keeps why', async () => {
    const { exit, out, warned, said } = start('moves', { repetitions: 2 });
    expect(await exit).toBe('incomplete');
    const { partial, points } = await sweepReportIn(out);
    expect(partial).toBe('two runs in a row could not be made');
    expect(points.flatMap(({ runs }) => runs)).toHaveLength(1);
    expect(said.join('\n')).not.toContain('Pausing');
    expect(warned).toHaveLength(2);
    for (const line of warned)
      expect(line).toMatch(
        /^This run could not be made: .* answers as a gateway does: write .*\/moves\/v1\./,
      );
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(3);
  });

  it('that is stopped while it pauses keeps its runs, and has the exit of the stop', async () => {
    const started = start('stopped', { pause: '20s' });
    const { host, stop, exit, out, said } = started;
    const { say } = host.printer;
    Object.assign(host.printer, {
      say: (text: string) => {
        say(text);
        if (text.startsWith('Pausing')) setImmediate(() => stop('SIGTERM'));
      },
    });
    expect(await exit).toBe('terminated');
    const { partial, points } = await sweepReportIn(out);
    expect(partial).toBe('stopped before its last run');
    expect(points.flatMap(({ runs }) => runs)).toHaveLength(1);
    expect(said).toContain('Pausing 20 s, so that the limits recover.');
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(1);
  });

  it('compares points over the same time only', async () => {
    const decided = { objectives: ['errorRate < 5%'], until: 'decided', atMost: '1m' };
    await expect(start('fine', {}, decided).exit).rejects.toThrow(
      'until: decided: the points of a sweep are compared over the same time',
    );
  });
});
