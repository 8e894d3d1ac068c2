import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { cleanUpAfterEach, startProgram, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const checkout = fileURLToPath(new URL('../../..', import.meta.url));
const rows = 24;

/** What a terminal of 80 columns shows when `npm start` has ended: all that was written after the live display was erased. */
const screenOf = (written: string): readonly string[] => {
  const last = written.slice(written.lastIndexOf('\u001B[J'));
  return stripVTControlCharacters(last).trimEnd().split(/\r?\n/);
};

it('npm start leaves the verdict, the figures of every kind and the path of the report on a screen of 24 rows', async () => {
  const out = await tempFolder();
  const command = `stty rows ${rows} cols 80; npm start -- --out ${out}`;
  const { GITHUB_STEP_SUMMARY: _, CI: __, ...environment } = process.env;
  const { code, stdout } = await startProgram(
    ['script', '--quiet', '--return', '--command', command, '/dev/null'],
    { ...environment, TERM: 'xterm', WEIR_HISTORY: 'off', npm_config_progress: 'false' },
    checkout,
  ).ended;
  const screen = screenOf(stdout);
  // The last row is the prompt's.
  expect(screen.length).toBeLessThan(rows);
  for (const line of screen) expect([...line].length).toBeLessThanOrEqual(80);
  for (const kind of trafficKinds)
    expect(screen).toContainEqual(
      expect.stringMatching(new RegExp(`^ {2}${kind} [A-Za-z ]+\\d+ +[\\d.]+ %`)),
    );
  expect(screen).toContain(`Report: ${out}/report.html`);
  expect((await stat(`${out}/report.html`)).size).toBeGreaterThan(50_000);
  const { summary } = await resultIn(out);
  // Degraded is also a run with figures that may be off by a few milliseconds, which is no warning.
  const verdict = {
    valid: /^15 of 75 requests failed: limited, /,
    degraded: /^(?:! )?15 of 75 requests failed: limited, /,
    invalid: /^✗ Exit 12\. /,
  };
  const place = screen.findIndex((line) => verdict[summary!.trust].test(line));
  expect(place).toBeGreaterThanOrEqual(screen.length - 3);
  expect(code).toBe(summary!.exit.code);
}, 120_000);
