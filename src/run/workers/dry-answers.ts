import type { TrafficKind } from '../../model/workload/traffic.ts';

/** Small answers of a server that does not exist, as the reads in which they come: what the code of a run is warmed with. */

const tokens = 16;
const usage = { prompt_tokens: 8, completion_tokens: tokens, total_tokens: 8 + tokens };
const common = { id: 'chatcmpl-0', created: 1_700_000_000, model: 'dry-run' };

const whole = (contentType: string, body: Buffer): readonly Buffer[] => {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${contentType}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return [Buffer.concat([Buffer.from(head), body])];
};
const json = (value: unknown): readonly Buffer[] =>
  whole('application/json', Buffer.from(JSON.stringify(value)));

const streamed = (events: readonly string[]): readonly Buffer[] => [
  Buffer.from(
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
  ),
  ...events.map((event) => {
    const text = `data: ${event}\n\n`;
    return Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
  }),
  Buffer.from('0\r\n\r\n'),
];

const chunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({
    ...common,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const message = { role: 'assistant', content: 'a few words' };

/** A WAV file of 64 samples of silence (RIFF). */
const silence = (): Buffer => {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + 128, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(128, 40);
  return Buffer.concat([head, Buffer.alloc(128)]);
};

export const dryAnswers: Readonly<Record<TrafficKind, readonly Buffer[]>> = {
  'chat-stream': streamed([
    chunk({ role: 'assistant', content: '' }),
    ...Array.from({ length: tokens }, (_, n) => chunk({ content: ` word${n}` })),
    chunk({}, 'stop'),
    JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [], usage }),
    '[DONE]',
  ]),
  chat: json({
    ...common,
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage,
  }),
  speech: whole('audio/wav', silence()),
  transcription: json({ text: message.content }),
  models: json({
    object: 'list',
    data: [{ id: common.model, object: 'model', created: common.created, owned_by: 'nobody' }],
  }),
};
