import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckProfile } from '../../verbs/check/model/check-choices.ts';
import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import { markdownTable } from '../harness/markdown-table.ts';
import { runCheck } from '../harness/run-check.ts';
import { freePort, provingKeys } from '../harness/server-process.ts';
import type { CheckedServer } from './checked-servers.ts';

/** `weir check` against servers that others wrote, held to what their sources say. */

interface ObservedCheck {
  readonly profile: CheckProfile;
  readonly code: number | null;
  readonly requests: number;
  readonly rows: CheckReport['rows'];
}

export interface ObservedInterface {
  readonly server: CheckedServer;
  readonly version: string;
  /** Without a profile, then with the one that fits, each with a separate key. */
  readonly checks: readonly ObservedCheck[];
}

/** The checks that report something, in the order of the report. */
export const reportedIn = ({ rows }: ObservedCheck): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation')
    .map(({ id }) => id);

/** The checks of all verified findings. */
export const verifiedIn = ({ findings }: CheckedServer): readonly string[] =>
  findings.flatMap(({ checks }) => checks.split(' '));

/** Checks a server's interface with and without its profile. Throws `Unavailable` if it cannot be had here. */
export const checkServer = async (server: CheckedServer): Promise<ObservedInterface> => {
  await using own = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const log = join(own.path, 'requests.log');
  const started = await server.start({ port: await freePort(), folder: own.path, log });
  try {
    const profiles = [...new Set<CheckProfile>(['spec', server.profile])];
    const checks: ObservedCheck[] = [];
    for (const [index, profile] of profiles.entries()) {
      const key = provingKeys[index]!;
      const folder = join(own.path, profile);
      const { code, report } = await runCheck(started.url, folder, {
        profile,
        key,
        words: [...(server.words ?? []), ...(started.words ?? [])],
      });
      checks.push({ profile, code, requests: report.spent.requests, rows: report.rows });
    }
    return { server, version: started.version, checks };
  } finally {
    await started.stop();
  }
};

const exitText = ({ profile, code, requests, ...check }: ObservedCheck): string =>
  `${profile}: exit ${code}, ${reportedIn({ profile, code, requests, ...check }).length} of ${check.rows.length}`;

const codes = (checks: string): string =>
  checks
    .split(' ')
    .map((check) => `\`${check}\``)
    .join(' ');

/** Every finding with its verdict, as `src/proving/CHECKS.md` publishes it. */
export const findingsTable = (servers: readonly CheckedServer[]): string =>
  markdownTable(
    ['server', 'checks', 'what it does', 'finding', 'reference'],
    servers.flatMap(({ name, findings }) =>
      findings.map(({ checks, what, isTrue, reference }) => [
        name,
        codes(checks),
        what,
        isTrue ? 'true' : 'FALSE',
        reference,
      ]),
    ),
  );

/** How many checks reported something of each server. */
export const interfacesTable = (observed: readonly ObservedInterface[]): string =>
  markdownTable(
    ['server', 'version', 'requests', 'checks that report something', 'true', 'false'],
    observed.map(({ server, version, checks }) => [
      server.name,
      version,
      String(checks[0]?.requests),
      checks.map(exitText).join('; '),
      String(verifiedIn(server).length),
      String(server.findings.filter(({ isTrue }) => !isTrue).length),
    ]),
  );
