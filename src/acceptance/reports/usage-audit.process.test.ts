import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { AuditName } from '../../model/measures/usage-audit.ts';
import type { Result } from '../../model/result/result.ts';
import { weir } from '../harness/weir-command.fixture.ts';

/** The lies of a server about its usage, each the name of a model, and the check that finds each. */
const lies: Readonly<Record<string, AuditName | null>> = {
  honest: null,
  'more-output': 'limit',
  'hidden-reasoning': 'text',
  'streamed-twice': 'prompt',
  'too-few': 'events',
};

const words = Array.from({ length: 12 }, (_, at) => ` water${at}`);

interface Chat {
  readonly model: string;
  readonly stream?: boolean;
  readonly max_tokens?: number;
}

const usageOf = ({ model, stream }: Chat) => {
  const prompt = model === 'streamed-twice' && stream === true ? 60 : 30;
  const outputs: Readonly<Record<string, number>> = {
    'more-output': 13,
    'hidden-reasoning': 400,
    'too-few': 6,
  };
  const output = outputs[model] ?? words.length;
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output };
};

/** Answers with twelve tokens, and with the usage of the model's lie. */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'GET') {
    const data = Object.keys(lies).map((id) => ({ id, object: 'model' }));
    return void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ object: 'list', data }));
  }
  const chat = JSON.parse(await text(request)) as Chat;
  const usage = usageOf(chat);
  const head = { id: 'c', object: 'chat.completion', created: 1, model: chat.model };
  if (chat.stream !== true) {
    const message = { role: 'assistant', content: words.join('') };
    const choices = [{ index: 0, message, finish_reason: 'length' }];
    response.setHeader('content-type', 'application/json');
    return void response.end(JSON.stringify({ ...head, choices, usage }));
  }
  const events = [
    ...words.map((content) => ({
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
    { choices: [], usage },
  ];
  response.setHeader('content-type', 'text/event-stream');
  const lines = [...events.map((event) => JSON.stringify({ ...head, ...event })), '[DONE]'];
  response.end(lines.map((line) => `data: ${line}\n\n`).join(''));
};

it('finds in a run what the usage of answers cannot be, and nothing in an honest one', async () => {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-usage-'));
  try {
    const entries = Object.keys(lies).flatMap((model) =>
      ['chat', 'chat-stream'].map((kind) => ({
        kind,
        model,
        weight: 1,
        prompt: 'Say water.',
        ...(model === 'hidden-reasoning' ? {} : { maxTokens: words.length }),
      })),
    );
    const scenario = {
      name: 'usage',
      target: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      traffic: entries,
      load: { kind: 'iterations', users: 2, iterations: 200 },
    };
    const file = join(folder.path, 'usage.json');
    await writeFile(file, JSON.stringify(scenario));
    const out = join(folder.path, 'out');
    const { stdout } = await weir(['run', file, '--out', out], { WEIR_API_KEY: 'k' });
    const result = JSON.parse(await readFile(join(out, 'result.json'), 'utf8')) as Result;
    const found = (name: string) =>
      result.groups
        .filter(({ labels: { model } }) => model === name)
        .flatMap(({ usageAudit }) =>
          Object.entries(usageAudit ?? {}).flatMap(([check, { answers, differing }]) =>
            // The first answer of all may be a stream, so that the whole ones differ from it.
            differing > 0 && (differing === answers || check === 'prompt') ? [check] : [],
          ),
        );
    for (const [model, check] of Object.entries(lies))
      expect([model, ...new Set(found(model))]).toEqual([
        model,
        ...(check === null ? [] : [check]),
      ]);
    expect(stdout).toContain('Usage');
  } finally {
    server.close();
  }
});
