import { routes } from '../../contract/routes.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import { encodeForm } from '../../traffic/request/multipart.ts';

/** The kinds of traffic whose requests name a model. */
export type TrafficWithModel = TrafficOf<'chat' | 'chat-stream' | 'speech' | 'transcription'>;

const samplesPerSecond = 8000;

/** Returns a tenth of a second of silence, as WAV with one byte per sample. */
const silentClip = (): Buffer => {
  const samples = Buffer.alloc(samplesPerSecond / 10, 0x80);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(samplesPerSecond, 24);
  head.writeUInt32LE(samplesPerSecond, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
};

const asJson = (body: object) => ({
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
});

/** Makes the smallest request for the model of an entry: one token, one word, or a tenth of a second of audio. */
export const smallestRequest = (entry: TrafficWithModel) => {
  const { model } = entry;
  switch (entry.kind) {
    case 'chat':
    case 'chat-stream':
      return {
        path: routes.chat.path,
        ...asJson({ model, messages: [{ role: 'user', content: 'Hi' }], max_tokens: 1 }),
      };
    case 'speech':
      return { path: routes.speech.path, ...asJson({ model, input: 'Hi', voice: entry.voice }) };
    case 'transcription':
      return {
        path: routes.transcription.path,
        ...encodeForm({
          fields: [['model', model]],
          file: {
            field: 'file',
            name: 'silence.wav',
            contentType: 'audio/wav',
            bytes: silentClip(),
          },
        }),
      };
  }
};
