import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { serverCharts } from '../html/charts/server-charts.ts';
import { serverLine, serverSection } from './server.ts';

const result = ((): Result => {
  const sample = sampleRunResult();
  const at = sample.plan.warmUp + 1000;
  return {
    ...sample,
    plan: {
      ...sample.plan,
      server: {
        metrics: '/metrics',
        every: milliseconds(1000),
        figures: [{ name: 'preemptions', metric: 'preemptions_total', as: 'rate' }],
      },
    },
    server: {
      address: 'http://host/metrics',
      software: 'vLLM',
      every: milliseconds(1000),
      scrapes: 1,
      failed: 0,
      lastFailure: null,
      resets: 0,
      samples: [
        {
          sent: instant(at),
          received: instant(at),
          values: { running: 3, waiting: 0, cacheUse: 0, queueTime: 0 },
        },
      ],
    },
  };
})();

describe('the server’s own figures', () => {
  it('name a figure of the scenario that was never seen', () => {
    expect(serverLine(result)).toMatch(/^preemptions never seen, running 3\.00 \(most 3\.00\), /);
    const table = JSON.stringify(serverSection(result, []));
    expect(table).toContain('never seen');
  });

  it('are in the line if they are the queue, what fills it, or asked for, and no rate', () => {
    const { server } = result;
    const [sample] = server!.samples;
    const values = { ...sample!.values, prefixHits: 50, inputTokens: 7 };
    const line = serverLine({
      ...result,
      server: { ...server!, samples: [{ ...sample!, values }] },
    });
    expect(line).toMatch(/^preemptions never seen, running 3\.00 \(most 3\.00\), /);
    expect(line).not.toMatch(/prefix|hits|tokens/i);
    expect(line!.split(', ')).toHaveLength(5);
  });

  it.each([
    [0, null, /^preemptions never seen/],
    [1, 'refused', /^1 of 2 readings .* failed, the last with: refused\. preemptions never seen/],
    [2, 'refused', /^2 of 2 readings .* failed, the last with: refused\. preemptions never seen/],
  ])('follow what is said of %i failed readings', (failed, lastFailure, line) => {
    const server = { ...result.server!, scrapes: 2, failed, lastFailure };
    expect(serverLine({ ...result, server })).toMatch(line);
  });

  it('are said to be none if a run was too short for them', () => {
    const { server, plan } = result;
    const samples = [{ sent: instant(0), received: instant(1), values: {} }];
    const short = {
      ...result,
      plan: { ...plan, server: undefined },
      server: { ...server!, samples },
    };
    expect(serverLine(short as Result)).toBe('No figure came of 1 reading of http://host/metrics.');
  });

  it('are drawn above their table, if there are charts', () => {
    const kinds = (charts: Parameters<typeof serverSection>[1]) =>
      serverSection(result, charts)!.blocks.map(({ kind }) => kind);
    const drawn = kinds(serverCharts(result));
    expect(drawn.indexOf('picture')).toBe(drawn.indexOf('table') - 1);
    expect(kinds([])).not.toContain('picture');
    expect(drawn.filter((kind) => kind !== 'picture')).toEqual(kinds([]));
  });

  it('have no chart of what is 0 throughout', () => {
    expect(serverCharts(result).map(({ id }) => id)).toEqual(['server-requests']);
    const { server, plan } = result;
    // Metrics can be read without any figure of the scenario's own.
    const unnamed = { ...result, plan: { ...plan, server: undefined } };
    expect(serverCharts(unnamed).map(({ id }) => id)).toEqual(['server-requests']);
    expect(serverCharts({ ...result, server: { ...server!, samples: [] } })).toEqual([]);
  });
});
