import { expect, it } from 'vitest';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';
import {
  distinctPoints,
  faultPoints,
  type Remains,
  runWithFault,
} from './injected-faults.fixture.ts';

cleanUpAfterEach();

/** What a fault may leave after the load has begun. */
const kept: readonly Remains[] = ['whole report', 'result elsewhere', 'checkpoint'];

it.each(['ENOSPC', 'EIO', 'SIGKILL', 'SIGINT', 'SIGTERM'])(
  'a run keeps what it measured when %s comes at any of its calls to the file system',
  { timeout: 600_000 },
  async (fault) => {
    const names = await faultPoints();
    const loadBegins = names.indexOf('handle.write') + 1;
    expect(loadBegins).toBeGreaterThan(1);
    const loadEnded = names.indexOf('rm', loadBegins) + 1;
    expect(loadEnded).toBeGreaterThan(loadBegins);
    const points = distinctPoints(names);
    const table = new Map<string, number>();
    for (const at of points) {
      const { code, took, remains, stderr } = await runWithFault(fault, at);
      const where = `${fault} at ${at} ${names[at - 1]}: exit ${code}, ${remains}\n${stderr}`;
      const mayLoseSeconds = fault === 'SIGKILL' && at < loadEnded;
      if (at > loadBegins && !mayLoseSeconds) expect(kept, where).toContain(remains);
      expect(remains, where).not.toBe('lost');
      expect(took, where).toBeLessThan(30_000);
      if (fault.startsWith('E')) expect(code, where).not.toBe(1);
      if (process.env['WEIR_VERBOSE'] !== undefined) console.log(where);
      table.set(remains, (table.get(remains) ?? 0) + 1);
    }
    console.log(`${fault}: ${points.length} of ${names.length} points:`, Object.fromEntries(table));
  },
);
