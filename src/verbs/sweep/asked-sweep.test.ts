// @gate 1 s
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSweeps, sweepReportIn, sweptScenario } from './started-sweep.fixture.ts';

const { start, sent, origin } = openSweeps();

describe('a sweep', () => {
  it('ends after a first run whose requests were all refused, and says so', async () => {
    const { exit, out, said, warned, printed, listed } = start(
      'refuses',
      {},
      { load: { ...sweptScenario.load, rate: '300/s' } },
    );
    expect(await exit).toBe('incomplete');
    const report = await sweepReportIn(out);
    const { partial, points } = report;
    expect(partial).toMatch(/^The target refused every request: \d+ × 403 \(“not you”\): may this/);
    expect(points.map(({ verdict }) => verdict).toSorted()).toEqual(['excluded', 'missing']);
    expect(said.filter((line) => line.startsWith('Run '))).toHaveLength(1);
    const { weir: _, judgedAt: __, target, ...others } = report;
    expect(target).toBe(`${origin()}/refuses`);
    expect({
      ...others,
      partial: null,
      points: points.map(({ values }) => values),
    }).toMatchInlineSnapshot(`
      {
        "curves": [
          {
            "fit": null,
            "name": "",
            "points": [
              0,
              1,
            ],
          },
        ],
        "format": "sweep/1",
        "latency": {
          "label": "End to end p50",
          "name": "endToEnd.p50",
          "unit": "ms",
        },
        "name": "swept",
        "objectives": [],
        "partial": null,
        "points": [
          [
            "100/s",
          ],
          [
            "200/s",
          ],
        ],
        "repetitions": 1,
        "seed": 4,
        "throughput": {
          "label": "Completed",
          "name": "completedRate",
          "unit": "/s",
        },
        "variables": [
          {
            "isLoad": true,
            "path": "load.rate",
            "values": [
              "100/s",
              "200/s",
            ],
          },
        ],
      }
    `);
    expect(warned).toEqual([]);
    expect(said.map((line) => line.replace(origin(), 'ORIGIN'))).toMatchInlineSnapshot(`
      [
        "Sweep: 2 points, 1 run each, in random order (seed 4)",
        "  load.rate  100/s, 200/s",
        "Budget: 12 requests; tokens: about 12 in, at most 48 out; cost: unknown; 80 ms of load, and at most 30 s after each run for the last answers.",
        "Run 1 of 2: load.rate=200/s",
        "swept: load.rate=200/s: 40 ms against ORIGIN/refuses. Ctrl-C ends it early and keeps the report.",
        "  no rate: excluded: nothing succeeded",
      ]
    `);
    const [outcome] = printed;
    expect(JSON.parse(outcome!.json!)).toEqual(report);
    expect(outcome!.closing!({ colour: false, width: 90 })).toMatchInlineSnapshot(`
      "✗ Exit 3. No point on the Pareto front: 0 of 2 points completed (1 point excluded, 1 not
      run, The target refused every request: 8 × 403 (“not you”): may this key ask for these
      models, and from here?)."
    `);
    expect(listed.join(' ')).toContain(join(out, 'sweep.html'));
  });

  it('without a yes sends nothing', async () => {
    const { exit, said } = start('unasked', { yes: false, repetitions: 3, pause: '20s' });
    await expect(exit).rejects.toThrow('needs a confirmation');
    expect(said).toMatchInlineSnapshot(`
      [
        "Sweep: 2 points, 3 runs each, in random order (seed 4)",
        "  load.rate  100/s, 200/s",
        "Budget: 36 requests; tokens: about 36 in, at most 144 out; cost: unknown; 100.2 s of load with pauses of 20 s, and at most 30 s after each run for the last answers.",
      ]
    `);
    expect(sent.has('/unasked/models')).toBe(false);
  });

  it.each([
    [{ throughput: 'ttft.p50' }, '--throughput: expected completedRate, outputTokenRate or '],
    [{ latency: 'completedRate' }, '--latency: expected a percentile of a measure of which less'],
    [{ latency: 'tokenRate.p50' }, '--latency: expected a percentile of a measure of which less'],
  ])('with the axis %j is refused', async (given, message) => {
    await expect(start('fine', given).exit).rejects.toThrow(message);
  });

  it('whose first run cannot begin has nothing to report', async () => {
    const { exit, said } = start(
      'unknown',
      {},
      { traffic: [{ ...sweptScenario.traffic[0], model: 'x' }] },
    );
    await expect(exit).rejects.toThrow('does not know the model x');
    expect(said.at(-1)).not.toContain('report');
  });
});
