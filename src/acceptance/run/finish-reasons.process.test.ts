import { readFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** A server that ends its answers for each reason in turn. */
const openServer = async (reasons: readonly string[]): Promise<string> => {
  let answered = 0;
  const server = http.createServer((request, response) => {
    const finish_reason = reasons[answered % reasons.length];
    if (request.method !== 'POST') return response.end('{"object":"list","data":[]}');
    answered += 1;
    let asked = '';
    request.on('data', (part: Buffer) => (asked += part.toString()));
    return request.on('end', () => {
      const usage = { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 };
      const text = { role: 'assistant', content: 'hello' };
      if (!asked.includes('"stream":true')) {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ choices: [{ message: text, finish_reason }], usage }));
        return;
      }
      response.setHeader('content-type', 'text/event-stream');
      const events = [
        { choices: [{ index: 0, delta: text, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason }], usage },
      ];
      for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
      response.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const runAt = async (kind: string, reasons: readonly string[], objectives: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const text = JSON.stringify({
    limits: 'none',
    traffic: [{ kind, model: 'm', prompt: 'Hi.', maxTokens: 5 }],
    load: { kind: 'iterations', users: 1, iterations: 20, maxDuration: '20s' },
    objectives,
  });
  const target = await openServer(reasons);
  const words = ['--target', target, '--out', out, '--details', '--summary', join(out, 'r.md')];
  const ended = await weir(['run', await tempFile('s.yaml', text), ...words], {
    WEIR_API_KEY: 'k',
  });
  const page = await readFile(join(out, 'report.html'), 'utf8');
  const markdown = await readFile(join(out, 'r.md'), 'utf8');
  return { ...ended, page, markdown, result: await resultIn(out) };
};

describe('the finish reasons of a run', () => {
  it.each(['chat', 'chat-stream'] as const)(
    'are counted, shown, and judged by objectives: %s',
    async (kind) => {
      const reasons = ['stop', 'length', 'Length', 'abort', '__proto__'];
      const objectives = [
        'finish{reason=length} < 40%',
        `finish{reason=length, traffic=${kind}} <= 40%`,
        'finish{reason=abort} <= 20%',
        'finish{reason="never sent"} <= 0%',
      ];
      const { code, result, stdout, markdown, page } = await runAt(kind, reasons, objectives);
      expect(code).toBe(exitOf(result, 10));
      expect(result.verdicts?.map(({ observed, n }) => [observed, n])).toEqual([
        [40, 20],
        [40, 20],
        [20, 20],
        [0, 20],
      ]);
      const sentence = 'Finish reasons: Length 4, __proto__ 4, abort 4, length 4, stop 4.';
      expect(stdout).toContain(sentence);
      expect(page).toContain(sentence);
      expect(markdown.replaceAll('&#95;', '_')).toContain(sentence);
      const { summary } = result as unknown as {
        readonly summary: { readonly kinds: Record<string, { readonly finishReasons: object }> };
      };
      expect(summary.kinds[kind]!.finishReasons).toMatchObject({ stop: 4, length: 4, abort: 4 });
    },
  );

  it('are no sentence where all ended as usual', async () => {
    const { stdout, page, markdown } = await runAt('chat', ['stop', 'tool_calls'], []);
    for (const text of [stdout, page, markdown]) expect(text).not.toContain('Finish reasons:');
  });
});
