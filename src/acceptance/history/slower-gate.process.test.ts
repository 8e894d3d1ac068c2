// @long 100 s
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import {
  cleanUpAfterEach,
  launcher,
  startGateway,
  startProgram,
  tempFolder,
  weirEnvironment,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ testTimeout: 600_000 });

const script = fileURLToPath(new URL('../../../scenarios/ci-slower.sh', import.meta.url));

/** Runs the script in `folder`, as a job would that has `weir` on its path; runs are short, for the test's time. */
const runGate = async (folder: string, variables: Readonly<Record<string, string>>) => {
  const command = join(folder, 'weir');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${launcher}' "$@"\n`);
  await chmod(command, 0o755);
  const environment = weirEnvironment({
    PATH: `${folder}:${process.env['PATH']}`,
    WEIR_API_KEY: 'sk-weir-test',
    MODEL: 'weir/small',
    RATE: '15/s',
    DURATION: '2s',
    PAUSE: '0s',
    ...variables,
  });
  return startProgram(['sh', script], environment, folder).ended;
};

it('the script of the gate for slower versions passes the same gateway, and ends with 11 for a slower one', async (context) => {
  const gateway = (ttft: string) =>
    startGateway(['--ttft', ttft, '--gap', '2ms', '--requests-per-minute', 'none']);
  const [quick, slow] = [await gateway('200ms'), await gateway('300ms')];
  const folder = await tempFolder();
  // What a job left that was stopped is no baseline.
  await mkdir(join(folder, 'reports/baseline.new/1'), { recursive: true });
  const jobs = [
    [{ GATEWAY: quick.url }, 0],
    [{ GATEWAY: quick.url }, 0],
    [{ GATEWAY: slow.url }, 11],
    [{ GATEWAY: slow.url, AGAINST: quick.url }, 11],
  ] as const;
  for (const [variables, expected] of jobs) {
    const { code, stdout, stderr } = await runGate(folder, variables);
    // A machine too busy for a load test proves nothing about gates.
    if (code === 12) context.skip(stdout);
    // On a machine almost as busy the comparison itself says that the load generator can have made the difference.
    if (expected === 11 && /load\s+generator’s\s+own\s+error/.test(stdout)) context.skip(stdout);
    expect({ code, stderr, stdout: code === expected ? '' : stdout }).toEqual({
      code: expected,
      stderr: expect.any(String),
      stdout: '',
    });
    if (expected === 11) expect(stdout).toMatch(/Regression: chat-stream TTFT p50/);
  }
});

it('the script of the gate says what it needs', async () => {
  const folder = await tempFolder();
  const { code, stderr } = await runGate(folder, { GATEWAY: '' });
  expect(code).not.toBe(0);
  expect(stderr).toContain('GATEWAY: is the base address, which ends in /v1');
});
