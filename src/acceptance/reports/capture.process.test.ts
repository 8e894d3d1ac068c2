import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { startGateway, tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const key = 'sk-weir-test';
const scenario = (address: string): readonly string[] => [
  'run',
  '--target',
  address,
  '--model',
  'weir/small',
  '--kind',
  'chat',
  // A key in a prompt must not be written either.
  '--prompt',
  `the planted prompt with ${key} in it`,
  '--users',
  '1',
  '--iterations',
  '3',
];

interface Line {
  readonly requestId: string;
  readonly outcome: string;
  readonly request: { readonly headers: Record<string, string>; readonly body: { text: string } };
  readonly response: { readonly status: number; readonly body: { text: string } } | null;
}

const capturedBy = async (
  mode: string,
  settings: readonly string[],
): Promise<{ lines: readonly Line[]; text: string; stderr: string }> => {
  const { url } = await startGateway(settings);
  const out = join(await tempFolder(), 'out');
  // The gateway refuses by a limit of one request.
  const words = [...scenario(url), '--no-key-check', '--capture', mode, '--out', out];
  const { stderr } = await weir(words, { WEIR_API_KEY: key });
  const text = await readFile(join(out, 'capture.jsonl'), 'utf8');
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  return { lines, text, stderr };
};

describe('captured bodies', () => {
  it('contain the prompts and answers of all requests unchanged, but no key', async () => {
    const { lines, text, stderr } = await capturedBy('all', []);
    expect(stderr).toContain('capture.jsonl will contain all requests with prompts');
    expect(lines).toHaveLength(3);
    expect(text).not.toContain(key);
    const [{ request, response, outcome } = lines[0]!] = lines;
    expect(outcome).toBe('completed');
    expect(request.headers).toMatchObject({ authorization: '[redacted]' });
    expect(request.body.text).toContain('the planted prompt with [redacted] in it');
    expect(response?.status).toBe(200);
    expect(response?.body.text).toContain('"choices"');
  });

  it('belong to the right stream when several streams are read at the same time', async () => {
    const { url } = await startGateway(['--ttft', '5ms', '--gap', '2ms']);
    const out = join(await tempFolder(), 'out');
    const streams = [
      'run',
      '--target',
      url,
      '--model',
      'weir/small',
      '--kind',
      'chat-stream',
      '--prompt',
      'hello',
      '--users',
      '6',
      '--iterations',
      '12',
      '--capture',
      'all',
      '--out',
      out,
    ];
    await weir(streams, { WEIR_API_KEY: key });
    const lines = (await readFile(join(out, 'capture.jsonl'), 'utf8')).trimEnd().split('\n');
    expect(lines).toHaveLength(12);
    for (const line of lines) {
      const { text } = (JSON.parse(line) as Line).response!.body;
      expect(new Set(text.match(/chatcmpl-\w+/g)).size).toBe(1);
      expect(text).toMatch(/^data: \{"id".*data: \[DONE\]\n\n$/s);
    }
  });

  it('include only failed requests with --capture failed', async () => {
    const { lines, text } = await capturedBy('failed', ['--set', 'limits.requestsPerMinute=1']);
    expect(lines.map(({ outcome }) => outcome)).toEqual(['limited', 'limited']);
    expect(lines[0]?.response?.status).toBe(429);
    expect(text).not.toContain(key);
  });
});
