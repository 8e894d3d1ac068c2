// @long 290 s
// @alone: its figures need a machine on which nothing else runs
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { neighbourCases } from './neighbour-cases.ts';
import { examineNeighbours } from './run-fairness.ts';

// The first run installs LiteLLM's proxy.
vi.setConfig({ testTimeout: 900_000 });

const short = ['--pairs', '3', '--block', '8s', '--settle', '3s'];

// One after another: the times of two would disturb each other.
it.for(neighbourCases)(
  'weir fairness does not say $never of $name, and counts what the server counts',
  async (neighbours, context) => {
    const folder = await mkdtemp(join(tmpdir(), 'weir-fairness-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const { code, report, logged, broken, failures } = await orSkip(context, () =>
      examineNeighbours(neighbours, folder, short),
    );
    expect([0, 10, 12, 13]).toContain(code);
    expect(report.verdict).not.toBe(neighbours.never);
    const sent = report.spent.requests;
    expect(logged).toBeLessThanOrEqual(sent);
    expect(logged, JSON.stringify(failures)).toBeGreaterThanOrEqual(sent - broken);
    expect(logged).toBeGreaterThan(200);
  },
);
