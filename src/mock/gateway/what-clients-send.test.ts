import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helloChat, parseEvents, startManualMock, testKeyHeaders } from './manual-mock.fixture.ts';

/** The table of the README, sent row by row. */

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const section = readme.split('\n## What clients send\n')[1]!.split('\n## ')[0]!;
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (request|---) /.test(line))
  .flatMap((line) => {
    const [request = '', answer = ''] = line.slice(2, -2).split(' | ');
    const [, kind = ''] = /^(chat|speech|transcription) /.exec(request) ?? [];
    return [...request.matchAll(/`([^`]+)`/g)].map(([, sent = '']) => ({ kind, sent, answer }));
  });

const named = { 'x-request-id': 'same', ...testKeyHeaders };
const gate = readFileSync(new URL('../../../fixtures/speech/gate.wav', import.meta.url));
const speechText = { model: 'weir-tts', input: 'Hello there.', voice: 'Emily.wav' };

const fast = {
  outputTokens: { min: 40, max: 40 },
  limits: { requestsPerMinute: null, tokensPerMinute: null },
};

/** The status of an answer and its text. */
const received = async (response: Response) => ({
  status: response.status,
  text: await response.text(),
});

const formOf = (fields: Readonly<Record<string, string | readonly string[]>>): FormData => {
  const form = new FormData();
  form.set('model', 'weir/whisper');
  for (const [name, values] of Object.entries(fields))
    for (const value of [values].flat()) form.append(name, value);
  form.append('file', new Blob([gate]), 'gate.wav');
  return form;
};

/** Sends what a row says; `isStreamed` is for chats only. */
const send = async ({ kind, sent }: { kind: string; sent: string }, isStreamed = false) => {
  const mock = await startManualMock(fast);
  if (kind === '') {
    const [method = '', path = ''] = sent.split(' ');
    return received(await fetch(mock.mock.url + path, { method, headers: testKeyHeaders }));
  }
  const fields = JSON.parse(sent) as Record<string, string>;
  if (kind === 'chat') {
    const body = { ...helloChat, ...fields, ...(isStreamed ? { stream: true } : {}) };
    return received(await mock.chatAfterMinute(body, named));
  }
  const response =
    kind === 'speech'
      ? mock.speak(JSON.stringify({ ...speechText, ...fields }))
      : mock.upload(formOf(fields));
  return received(await mock.afterMinute(response));
};

interface Choice {
  readonly index: number;
  readonly message: {
    readonly content: string | null;
    readonly tool_calls?: { readonly function: { readonly arguments: string } }[];
  };
  readonly logprobs?: { readonly content: Logprob[] };
  readonly finish_reason: string;
}
interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly top_logprobs: { readonly token: string }[];
}
interface Answer {
  readonly choices: Choice[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}
interface Event {
  readonly choices: {
    readonly index: number;
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: {
        readonly index: number;
        readonly function: { readonly arguments: string };
      }[];
    };
    readonly logprobs?: { readonly content: Logprob[] };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: Answer['usage'] | null;
}

/** What is said by each choice of a stream, and how many events end one. */
const streamed = (events: readonly Event[]) => {
  const texts = new Map<number, string>();
  for (const { index, delta } of events.flatMap(({ choices }) => choices))
    texts.set(index, (texts.get(index) ?? '') + (delta.content ?? ''));
  return {
    texts: [...texts].toSorted(([a], [b]) => a - b).map(([, text]) => text),
    ends: events.flatMap(({ choices }) => choices).filter((each) => each.finish_reason !== null)
      .length,
    usage: events.flatMap(({ usage }) => usage ?? []),
    logprobs: events.flatMap(({ choices }) =>
      choices.flatMap((each) => each.logprobs?.content ?? []),
    ),
  };
};

/** What a kept promise looks like, by words of its row's answer. */
const proofs: Readonly<Record<string, (answer: Answer, events: readonly Event[]) => void>> = {
  'exactly so many tokens': ({ choices, usage }) => {
    expect([usage.completion_tokens, choices[0]?.finish_reason]).toEqual([5, 'length']);
  },
  'the answer ends before it': ({ choices, usage }) => {
    expect(choices[0]?.message.content).not.toContain('e');
    expect(usage.completion_tokens).toBeLessThan(40);
  },
  'as a system message': ({ usage }) => expect(usage.prompt_tokens).toBe(5),
  'parts of text count like a text': ({ usage }) => expect(usage.prompt_tokens).toBe(2),
  '85 tokens in low detail': ({ usage }) => expect(usage.prompt_tokens).toBe(1445),
  'ten tokens for a second': ({ usage }) => expect(usage.prompt_tokens).toBe(1),
  'the last event of a stream has the usage': ({ usage }, events) => {
    expect(streamed(events).usage).toEqual([usage]);
  },
  'an object': ({ choices }) => {
    expect(JSON.parse(choices[0]!.message.content!)).toHaveProperty('answer');
  },
  'a value that obeys the schema': ({ choices }, events) => {
    const value = JSON.parse(choices[0]!.message.content!) as { a: number };
    expect(Object.keys(value)).toEqual(['a']);
    expect(value.a).toBeGreaterThanOrEqual(3);
    expect(streamed(events).texts).toEqual([choices[0]!.message.content]);
  },
  'a call with arguments': ({ choices }, events) => {
    const [call] = choices[0]!.message.tool_calls!;
    expect(events[0]!.choices[0]!.delta).toEqual({ role: 'assistant', content: null });
    // A client adds the arguments of a stream by the index of their call.
    const parts = events.flatMap((event) =>
      event.choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    );
    expect(new Set(parts.map(({ index }) => index))).toEqual(new Set([0]));
    expect(parts.map((part) => part.function.arguments).join('')).toBe(call!.function.arguments);
    expect(JSON.parse(call!.function.arguments)).toEqual({ a: expect.any(String) as string });
    expect(choices[0]!.finish_reason).toBe('tool_calls');
  },
  'words instead of a call': ({ choices }) => {
    expect(choices[0]!.message).toEqual({
      role: 'assistant',
      content: expect.any(String) as string,
    });
  },
  'three choices': ({ choices, usage }, events) => {
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2]);
    const texts = choices.map(({ message }) => message.content);
    expect(new Set(texts).size).toBe(3);
    expect(usage.completion_tokens).toBe(120);
    expect(streamed(events)).toMatchObject({ texts, ends: 3 });
  },
  'for each token of a text': ({ choices }, events) => {
    const { content } = choices[0]!.logprobs!;
    expect(content.map(({ token }) => token).join('')).toBe(choices[0]!.message.content);
    for (const { token, logprob, top_logprobs: top } of content) {
      expect(Math.exp(logprob)).toBeCloseTo(1 / 256);
      expect(top.map((each) => each.token)).toEqual([token, expect.any(String)]);
    }
    expect(streamed(events).logprobs).toEqual(content);
  },
};

const kept = rows.filter(({ answer }) => answer.startsWith('kept: '));

describe('the table of what clients send', () => {
  it('has rows of every kind, and a proof for each chat that is kept', () => {
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(
      new Set(['', 'chat', 'speech', 'transcription']),
    );
    expect(rows.length).toBeGreaterThan(40);
    for (const { answer } of rows)
      expect(answer).toMatch(/^(kept: |accepted without effect|refused: \d{3} `\w+`)/);
    const unused = Object.keys(proofs).filter(
      (proof) => !kept.some(({ answer }) => answer.includes(proof)),
    );
    expect(unused).toEqual([]);
  });

  it.each(kept.filter(({ kind }) => kind === 'chat'))(
    'is right that a chat with $sent is kept',
    async (row) => {
      const [, prove] = Object.entries(proofs).find(([proof]) => row.answer.includes(proof)) ?? [];
      const whole = await send(row);
      const stream = await send(row, true);
      expect([whole.status, stream.status]).toEqual([200, 200]);
      const events = parseEvents(stream.text).filter((event) => event !== '[DONE]') as Event[];
      if (prove === undefined) throw new Error(`nothing proves: ${row.answer}`);
      prove(JSON.parse(whole.text) as Answer, events);
    },
  );

  it.each(kept.filter(({ kind }) => kind !== 'chat'))(
    'is right that $kind $sent is kept',
    async (row) => {
      const { status, text } = await send(row);
      expect(status).toBe(200);
      if (row.sent === 'GET /models') expect(text).toContain('"object":"list"');
      else if (row.kind === '') expect(text).toContain('"id":"weir/small"');
      else if (row.kind === 'transcription') expect(text).toContain('"words":[{');
      else expect(text.length).toBeGreaterThan(1000);
    },
  );

  it.each(rows.filter(({ answer }) => answer.startsWith('accepted without effect')))(
    'is right that $kind $sent is accepted without effect',
    async (row) => {
      const changed = await send(row);
      expect(changed).toEqual(await send({ ...row, sent: '{}' }));
      expect(changed.status).toBe(200);
    },
  );

  it.each(rows.filter(({ answer }) => answer.startsWith('refused')))(
    'is right that $kind $sent is refused',
    async (row) => {
      const [, status, code] = /(\d{3}) `(\w+)`/.exec(row.answer) ?? [];
      const { status: seen, text } = await send(row);
      const { error } = JSON.parse(text) as { error: { code: string; message: string } };
      expect([String(seen), error.code]).toEqual([status, code]);
      expect(error.message.length).toBeGreaterThan(20);
    },
  );
});
