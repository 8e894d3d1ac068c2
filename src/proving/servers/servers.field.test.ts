// @long 164 s
import { afterAll, describe, expect, it, vi } from 'vitest';
import { writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { type ObservedServer, observeServer } from './observe-server.ts';
import { serverCases, serverTable } from './server-table.ts';

// The first run installs the servers.
vi.setConfig({ testTimeout: 900_000 });

const rows: ObservedServer[] = [];
afterAll(() => writeTable('servers', serverTable(rows)));

// One after another: the times of two would disturb each other.
describe('weir run, against servers that others wrote', () => {
  it.for(serverCases)(
    'completes all at $name, counts what it counts, and measures what an independent client measures',
    async (server, context) => {
      const row = await orSkip(context, () => observeServer(server));
      rows.push(row);
      expect(row.differences).toEqual([]);
      expect(row.completed).toBe(row.sent);
      expect(row.completed).toBeGreaterThan(30);
      expect(row.clientAnswered).toBeGreaterThan(3);
      expect(row.medians.map(({ measure }) => measure)).toEqual(['ttft', 'gap']);
      if (row.trust !== 'invalid') expect(row.medians.filter(({ agree }) => !agree)).toEqual([]);
    },
  );
});
