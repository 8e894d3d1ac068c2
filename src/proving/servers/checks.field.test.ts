// @long 66 s
import { afterAll, describe, expect, it, vi } from 'vitest';
import { exemptionOf } from '../../verbs/check/suite/profiles.ts';
import { writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import {
  checkServer,
  interfacesTable,
  type ObservedInterface,
  reportedIn,
  verifiedIn,
} from './check-servers.ts';
import { checkedServers } from './checked-servers.ts';

// The first run installs the servers.
vi.setConfig({ testTimeout: 900_000 });

const observed: ObservedInterface[] = [];
afterAll(() => writeTable('checks', interfacesTable(observed)));

describe('weir check, against servers that others wrote', () => {
  it.for(checkedServers)(
    'reports of $name exactly what its source says, and with its profile only what that leaves',
    async (server, context) => {
      const seen = await orSkip(context, () => checkServer(server));
      observed.push(seen);
      expect(server.findings.filter(({ isTrue }) => !isTrue)).toEqual([]);
      for (const check of seen.checks) {
        const { profile, code, rows } = check;
        const expected = verifiedIn(server).filter((id) => exemptionOf(profile, id) === null);
        expect(reportedIn(check).toSorted()).toEqual(expected.toSorted());
        expect(code).toBe(rows.some(({ outcome }) => outcome === 'violation') ? 10 : 0);
      }
    },
  );
});
