import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallChatHeaders, smallChatJson } from '../harness/chat-bytes.ts';
import { pinnedTo, runToEnd } from '../harness/processes.ts';
import type { ClosedLoopThroughput } from './closed-client.ts';

/** wrk, a closed loop in C, with one thread. */

export const hasWrk = spawnSync('wrk', ['-v']).error === undefined;
export const wrkInstallHint = 'wrk is not installed (apt-get install wrk)';

/** JSON strings are Lua strings, as long as they need no escape that only one of them has. */
const script = `
wrk.method = 'POST'
wrk.body = ${JSON.stringify(smallChatJson)}
${Object.entries(smallChatHeaders)
  .map(([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`)
  .join('\n')}
function done(summary)
  local e = summary.errors
  local failed = e.connect + e.read + e.write + e.status + e.timeout
  print(string.format('TOTAL %d %d %d', summary.requests, summary.duration, failed))
end
`;

/** CPU seconds of a shell's children, from the second line of its \`times\`: \`0m1.25s 0m0.70s\`. */
const childrenCpu = (stdout: string): number => {
  const spans = [...stdout.matchAll(/(\d+)m([\d.]+)s/g)].slice(-2);
  return spans.reduce((sum, [, minutes, rest]) => sum + Number(minutes) * 60 + Number(rest), 0);
};

/** Runs it for whole seconds. Throws if requests failed. */
export const measureWrk = async (
  url: string,
  connections: number,
  seconds: number,
): Promise<ClosedLoopThroughput> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
  try {
    const file = join(folder, 'chat.lua');
    await writeFile(file, script);
    const words = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '-s', file];
    const shell = ['sh', '-c', '"$@"; times', 'sh', ...words, `${url}/chat/completions`] as const;
    const { stdout } = await runToEnd(pinnedTo(1, shell));
    const [, requests, microseconds, failed] = /TOTAL (\d+) (\d+) (\d+)/.exec(stdout) ?? [];
    if (failed !== '0') throw new Error(`wrk: ${failed ?? 'all'} requests failed\n${stdout}`);
    return {
      requests: Number(requests),
      seconds: Number(microseconds) / 1e6,
      cpu: childrenCpu(stdout),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
