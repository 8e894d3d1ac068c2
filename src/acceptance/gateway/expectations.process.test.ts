import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readObservations } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const schema =
  '{type: object, properties: {level: {type: integer, minimum: 1, maximum: 9}}, required: [level], additionalProperties: false}';
const format = `{type: json_schema, json_schema: {name: a, schema: ${schema}}}`;
const tools = '[{type: function, function: {name: f, parameters: {type: object}}}]';

/** Each entry with what it expects, and whether the reference gateway's answers are so. */
const entries = [
  ['kept', true, `maxTokens: 40, body: {response_format: ${format}}, expect: {schema: ${schema}}`],
  ['cut', false, `maxTokens: 2, body: {response_format: ${format}}, expect: {schema: ${schema}}`],
  ['words', false, 'maxTokens: 5, expect: {json: true}'],
  ['pattern', true, 'maxTokens: 5, expect: {matches: "^ [a-z ]+$", minLength: 10}'],
  ['call', true, `body: {tools: ${tools}}, expect: {toolArguments: true}`],
] as const;

const scenario = `
traffic:
${entries
  .flatMap(([name, , fields]) =>
    ['chat', 'chat-stream'].map(
      (kind) => `  - {kind: ${kind}, name: ${name}, model: weir/small, ${fields}}`,
    ),
  )
  .join('\n')}
  - {kind: transcription, name: heard, model: weir/whisper, clips: bundled, expect: {minLength: 5}}
load: {kind: iterations, users: 4, iterations: 120}
mock: {ttft: 1ms, gap: 1ms, limits: {requestsPerMinute: none, tokensPerMinute: none}, transcription: {base: 1ms, perSecond: 0s}}
`;

it('a run counts the answers that are not as expected, for streams, whole answers and transcripts', async () => {
  const lines = join(await tempFolder(), 'o.jsonl');
  const file = await tempFile('s.yaml', scenario);
  const out = await tempFolder();
  const { code, stderr, stdout } = await weir(['run', file, '--out', out, '--observations', lines]);
  expect([0, 12], stderr).toContain(code);
  const seen = await readObservations(lines);
  expect(seen).toHaveLength(120);
  for (const { entry, outcome } of seen) {
    const isKept = entries.find(([name]) => name === entry)?.[1] ?? true;
    expect([entry, outcome.kind]).toEqual([entry, isKept ? 'completed' : 'malformed']);
    if (outcome.kind === 'malformed') expect(outcome.issue).toBe('not-as-expected');
  }
  expect(new Set(seen.map(({ entry, traffic }) => `${entry} ${traffic}`)).size).toBe(11);
  expect(stdout).toContain('not-as-expected');
});
