import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { checkTable } from '../../verbs/check/suite/check-table.ts';
import { roomFile } from '../harness/installed.ts';
import { findingsTable, verifiedIn } from './check-servers.ts';
import { checkedServers } from './checked-servers.ts';

it('the findings that the tests hold servers to are those that are published', async () => {
  expect(await readFile(roomFile('CHECKS.md'), 'utf8')).toContain(findingsTable(checkedServers));
});

it('verified findings name checks, each once for a server', () => {
  const checks = checkTable.map(({ id }) => id);
  for (const server of checkedServers) {
    const verified = verifiedIn(server);
    expect(verified.filter((id) => !checks.includes(id))).toEqual([]);
    expect(new Set(verified).size).toBe(verified.length);
  }
});
