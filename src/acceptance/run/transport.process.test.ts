import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type TransportName, transportNames } from '../../model/observation/exchange.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { readObservations, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFile, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** All five kinds, more than the limit lets through, on kept and on new connections. */
const scenario = `
name: all kinds
traffic:
  - { kind: chat-stream, model: weir/small, weight: 3, maxTokens: 20 }
  - { kind: chat, model: weir/small, weight: 2, maxTokens: 5 }
  - { kind: speech, model: weir-tts, weight: 2 }
  - { kind: transcription, model: weir/whisper, weight: 2 }
  - { kind: models, weight: 1 }
load: { kind: constant, rate: 75/s, duration: 1s }
mock: { ttft: 20ms, gap: 2ms }
`;

it('users that begin at once find their connections open, and the connect time is not among their figures', async () => {
  const out = await tempFolder();
  const burst = scenario
    .replace(/load: .*/, 'load: { kind: closed, users: 40, duration: 200ms }')
    .replace('gap: 2ms }', 'gap: 2ms, limits: { requestsPerMinute: none } }');
  const file = join(out, 'observations.jsonl');
  await weir(['run', await tempFile('s.yaml', burst), '--out', out, '--observations', file]);
  const first = (await readObservations(file)).filter(({ due }) => due === 0);
  expect(first).toHaveLength(40);
  expect(new Set(first.map(({ connection }) => connection))).toEqual(new Set(['ahead']));
  const { groups } = await resultIn(out);
  expect(groups.reduce((sum, { connections }) => sum + (connections.ahead ?? 0), 0)).toBe(40);
  expect(groups.flatMap(({ distributions }) => Object.keys(distributions))).not.toContain(
    'connect',
  );
  expect(await readFile(join(out, 'report.html'), 'utf8')).toContain(
    'opened ahead of their requests',
  );
});

const runBy = async (transport: TransportName): Promise<{ result: Result; report: string }> => {
  const out = await tempFolder();
  await weir(['run', await tempFile('s.yaml', scenario), '--out', out, '--transport', transport]);
  return {
    result: await resultIn(out),
    report: await readFile(join(out, 'report.html'), 'utf8'),
  };
};

it('a run counts the same by every transport, agrees with the gateway, and names its transport', async () => {
  const counts = await Promise.all(
    transportNames.map(async (transport) => {
      const { result, report } = await runBy(transport);
      expect(result.plan.transport).toBe(transport);
      expect(report).toContain(`HTTP/1.1 by the transport ${transport}`);
      const { completed, limited, ...others } = sumOutcomes(result.groups);
      expect(result.gatewayCounters).toMatchObject({ completed, limited });
      return { completed, limited, ...others };
    }),
  );
  expect(counts[0]).toMatchObject({ completed: 60, limited: 15, broken: 0, malformed: 0 });
  for (const other of counts.slice(1)) expect(other).toEqual(counts[0]);
});
