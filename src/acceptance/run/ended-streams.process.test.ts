import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { readObservations, resultIn } from '../harness/run-files.fixture.ts';
import {
  cleanUpAfterEach,
  startWeir,
  tempFile,
  tempFolder,
} from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const users = 200;

/** Streams of equal length, so that those of all users end together: many still wait to be recorded when the run ends. */
const scenario = (load: string, more = ''): string => `
name: ended together
seed: 1
load: ${load}
traffic: [{ kind: chat-stream, model: weir/small, maxTokens: 40 }]
${more}
`;

const unlimited = { limits: { requestsPerMinute: null, tokensPerMinute: null } } as const;

interface Ending {
  readonly text: string;
  readonly signals?: number;
  readonly partial: string | null;
}

const endings: Readonly<Record<string, Ending>> = {
  'as planned': {
    text: scenario(`{ kind: closed, users: ${users}, duration: 500ms }`),
    partial: null,
  },
  'by its budget': {
    text: scenario(
      `{ kind: closed, users: ${users}, duration: 60s }`,
      `budget: { requests: ${users} }`,
    ),
    partial: 'budget.requests',
  },
  'by a stop': {
    text: scenario(`{ kind: closed, users: ${users}, duration: 60s }`),
    signals: 1,
    partial: 'SIGINT',
  },
  'by a second stop': {
    text: scenario(`{ kind: closed, users: ${users}, duration: 60s }`),
    signals: 2,
    partial: 'SIGINT',
  },
  'by a breach': {
    text: scenario(
      `{ kind: closed, users: ${users}, duration: 60s }`,
      'objectives: [{ objective: ttft.p50 < 1ms, minSamples: 50, abort: { after: 1s } }]',
    ),
    partial: 'ttft.p50',
  },
};

describe.each(['1', '2'])('a run whose streams end together, --workers %s,', (workers) => {
  it.each(Object.entries(endings))(
    'records every request that the gateway admitted when it ends %s',
    async (_, { text, signals = 0, partial }) => {
      const mock = await openMock({ ...unlimited, ttft: 100, gap: 20 });
      const out = await tempFolder();
      const lines = join(out, 'observations.jsonl');
      const words = ['run', await tempFile('s.yaml', text), '--target', mock.url, '--yes'];
      const more = ['--workers', workers, '--out', out, '--observations', lines];
      const { child, ended, waitForOutput } = startWeir([...words, ...more], {
        WEIR_API_KEY: 'sk-weir-test',
      });
      if (signals > 0) await waitForOutput('Ctrl-C ends it early');
      if (signals > 0) child.kill('SIGINT');
      if (signals > 1) await waitForOutput('again to abort them');
      if (signals > 1) child.kill('SIGINT');
      await ended;
      const result = await resultIn(out);
      if (partial === null) expect(result.partial).toBeNull();
      else expect(result.partial).toContain(partial);
      const outcomes = sumOutcomes(result.groups);
      const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
      const observations = await readObservations(lines);
      expect(observations).toHaveLength(all);
      const keys = observations.map(({ stage, index }) => `${stage} ${index}`);
      expect(new Set(keys).size).toBe(keys.length);
      const sent = observations.filter((each) => each.sent !== null);
      expect(sent).toHaveLength((await countersOf(mock))['admitted.chat']!);
      if (signals < 2) expect(outcomes.completed).toBe(sent.length);
    },
  );
});
