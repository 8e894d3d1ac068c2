import type { Outcome } from '../../model/observation/outcome.ts';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { speechRequestSchema } from '../../contract/audio.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import type { SpeechFormat, TrafficOf } from '../../model/workload/traffic.ts';
import { emptyTargetMemory } from '../traffic-handler.ts';
import { prepareRequest } from './prepare-request.ts';
import {
  contextWith,
  everySplit,
  readAt,
  readerFor,
  replay,
  type ReplayedResponse,
  withoutTimes,
} from './replay.fixture.ts';
import { riffChunk, mp3Frames, oggPage, opusFile, wavFile } from '../audio/sample-audio.fixture.ts';
import { sampleTraffic, prepareContextWith } from '../sample-traffic.fixture.ts';
import { matching } from './stream-bodies.fixture.ts';

const entry = (parts: Partial<TrafficOf<'speech'>> = {}) => ({ ...sampleTraffic.speech, ...parts });

const labels = { wav: 'audio/wav', mp3: 'audio/mpeg', opus: 'audio/ogg; codecs=opus' } as const;
const bodies = { wav: wavFile(80), mp3: mp3Frames(3), opus: opusFile(3) } as const;
const labelled = (label: string): ReplayedResponse => ({ headers: { 'content-type': label } });

/** Returns the outcome, which is the same in every cut apart from instants. */
const read = (
  format: SpeechFormat,
  body: Buffer | string,
  response?: ReplayedResponse,
): Outcome => {
  const bytes = Buffer.from(body as string);
  const replayed = response ?? labelled(labels[format]);
  const whole = replay(entry({ format }), [bytes], replayed);
  for (const reads of everySplit(bytes)) {
    expect(withoutTimes(replay(entry({ format }), reads, replayed))).toEqual(withoutTimes(whole));
  }
  return whole;
};

describe('an error after the beginning of the audio', () => {
  const error = '{"error":{"message":"the voice broke","type":"server_error"}}';
  /** A WAV file as servers stream it, of a size that they do not know yet. */
  const unsized = Buffer.from(bodies.wav);
  unsized.writeUInt32LE(0xffff_ffff, 4);
  unsized.writeUInt32LE(0xffff_ffff, 40);

  it.each([
    ['wav', 'audio of unknown length', unsized],
    ['wav', 'audio of known length', bodies.wav],
    ['mp3', 'frames', bodies.mp3],
    ['opus', 'pages', bodies.opus],
  ] as const)('fails the answer with the server’s sentence: %s, %s', (format, _, audio) => {
    for (const text of [error, `\n${error}\n`, `${' '.repeat(300)}{"error":"the voice broke"}`]) {
      const outcome = read(format, Buffer.concat([audio, Buffer.from(text)]));
      expect(outcome.kind).toBe('malformed');
    }
    expect(read(format, Buffer.concat([audio, Buffer.from(error)]))).toMatchObject({
      issue: 'audio-truncated',
      detail: 'the audio ends with an error: the voice broke',
    });
  });

  it.each([
    ['one', '\0'],
    ['a page', '\0'.repeat(4096)],
    ['some in lines', '\n\0\n\0\0'],
  ])('fails the answer if zeros follow it, as buffers of C have them: %s', (_, zeros) => {
    for (const cut of [1, 700, 100_000]) {
      const body = Buffer.concat([unsized, Buffer.from(`${error}${zeros}`)]);
      const pieces = Array.from({ length: Math.ceil(body.length / cut) }, (__, i) =>
        body.subarray(i * cut, (i + 1) * cut),
      );
      expect(replay(entry({ format: 'wav' }), pieces, labelled('audio/wav'))).toMatchObject({
        issue: 'audio-truncated',
        detail: 'the audio ends with an error: the voice broke',
      });
    }
  });

  it('is not made of two halves with silence between them', () => {
    const halves = `${error.slice(0, 20)}\0\0${error.slice(20)}`;
    expect(read('wav', Buffer.concat([unsized, Buffer.from(halves)])).kind).toBe('completed');
  });

  it('is no error if the document names none', () => {
    for (const text of [
      '{"duration":1.5}',
      '{"error":"none"}',
      '{"error":{"code":0}}',
      '{"detail":"24 kHz"}',
    ])
      expect(read('wav', Buffer.concat([unsized, Buffer.from(text)])).kind).toBe('completed');
  });
});

describe('a speech request', () => {
  const bodyOf = (
    parts: Partial<TrafficOf<'speech'>>,
    targetMemory = emptyTargetMemory(),
  ): unknown =>
    JSON.parse(
      Buffer.from(
        prepareRequest(entry(parts), prepareContextWith({ targetMemory })).request.body!,
      ).toString(),
    );

  it('has model, text, voice and format, and a speed only if one is set', () => {
    const body = { model: 's', input: 'Hello, weir.', voice: 'calm.wav', response_format: 'wav' };
    expect(bodyOf({})).toEqual(body);
    expect(bodyOf({ speed: 1.5, body: { seed: 7 } })).toEqual({ ...body, speed: 1.5, seed: 7 });
    expect(speechRequestSchema.safeParse(bodyOf({})).success).toBe(true);
    expect(prepareRequest(entry(), prepareContextWith()).request).toMatchObject({
      method: 'POST',
      path: '/audio/speech',
      headers: { 'content-type': 'application/json', 'accept-encoding': 'identity' },
    });
  });

  it('draws every text', () => {
    const texts = ['one', 'two', 'three'];
    const drawn = Array.from({ length: 40 }, (_, seed) => {
      const { request } = prepareRequest(
        entry({ texts }),
        prepareContextWith({ draw: drawFrom(seed) }),
      );
      return (JSON.parse(Buffer.from(request.body!).toString()) as { input: string }).input;
    });
    expect(new Set(drawn)).toEqual(new Set(texts));
  });

  it('sends pieces in turn, and starts again after the last', () => {
    const split = { characters: 5 };
    const spoken = [0, 1, 2, 3].map((which) => {
      const pieces = entry({ texts: ['one', 'two', 'three'], split });
      const { request } = prepareRequest(pieces, prepareContextWith({ ordinal: () => which }));
      return (JSON.parse(Buffer.from(request.body!).toString()) as { input: string }).input;
    });
    expect(spoken).toEqual(['one', 'two', 'three', 'one']);
  });

  it('omits further fields that conflict with how its response is read, with a note', () => {
    const memory = emptyTargetMemory();
    expect(bodyOf({ body: { response_format: 'flac', input: 'other' } }, memory)).toMatchObject({
      input: 'Hello, weir.',
      response_format: 'wav',
    });
    expect([...memory.notes]).toEqual([
      'The body field `input` of speech traffic was not sent: the entry’s `texts` sets it.',
      'The body field `response_format` of speech traffic was not sent: the entry’s `format` sets it.',
    ]);
  });
});

describe('a speech response', () => {
  it.each([
    ['wav', 0.01, 204],
    ['mp3', 0.108, 108],
    ['opus', (3 * 960 - 312) / 48_000, 189],
  ] as const)('is complete in %s, with its duration and cost', (format, audioSeconds, bytes) => {
    expect(read(format, bodies[format])).toEqual({
      kind: 'completed',
      answer: {
        kind: 'speech',
        firstByte: readAt(0),
        firstAudio: readAt(0),
        bytes,
        audioSeconds,
        characters: 12,
        notes: [],
        cost: 180,
      },
    });
  });

  it('reports the read with the first audio after the header', () => {
    const reads = [wavFile(80).subarray(0, 10), wavFile(80).subarray(10, 44)];
    expect(
      replay(entry(), [...reads, wavFile(80).subarray(44)], labelled('audio/wav')),
    ).toMatchObject({
      answer: { firstByte: readAt(0), firstAudio: readAt(2) },
    });
  });

  it('counts characters as code points', () => {
    const answer = replay(entry({ texts: ['é😀漢'] }), [bodies.wav], labelled('audio/wav'));
    expect(answer).toMatchObject({ answer: { characters: 3, cost: 45 } });
  });

  it.each([
    ['wav', 'audio/mpeg', ['mislabelled']],
    ['mp3', 'audio/wav', ['mislabelled']],
    ['opus', 'text/html', ['mislabelled']],
    ['wav', 'application/octet-stream', ['unlabelled']],
    ['mp3', undefined, ['unlabelled']],
    ['wav', 'AUDIO/X-WAV', []],
    ['mp3', 'audio/mp3', []],
    ['opus', 'audio/opus', []],
  ] as const)(
    'is identified by its bytes: %s labelled %s has the note %j',
    (format, label, notes) => {
      const headers: Record<string, string> = label === undefined ? {} : { 'content-type': label };
      expect(read(format, bodies[format], { headers })).toMatchObject({
        kind: 'completed',
        answer: { notes },
      });
    },
  );

  it.each([
    ['wav', 'mp3', 'WAV audio was requested, but the body is MP3'],
    ['wav', 'opus', 'WAV audio was requested, but the body is Ogg'],
    ['mp3', 'wav', 'MP3 audio was requested, but the body is WAV'],
    ['opus', 'mp3', 'Ogg audio was requested, but the body is MP3'],
  ] as const)('is malformed if %s was requested and %s was received', (asked, came, detail) => {
    expect(read(asked, bodies[came], labelled(labels[asked]))).toEqual({
      kind: 'malformed',
      issue: 'audio-container',
      detail,
      partial: null,
    });
  });

  it.each([
    ['an unknown container', Buffer.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])],
    ['another known one', Buffer.from('fLaC\0\0\0\x22........')],
    ['another codec', oggPage([Buffer.from('\x01vorbis')], { first: true, last: true })],
  ])('is malformed in %s', (_, body) => {
    expect(read('opus', body)).toMatchObject({ kind: 'malformed', issue: 'audio-container' });
  });

  it.each(['wav', 'mp3', 'opus'] as const)('is malformed if it ends too early: %s', (format) => {
    expect(read(format, bodies[format].subarray(0, -1))).toMatchObject({
      kind: 'malformed',
      issue: 'audio-truncated',
      partial: { kind: 'speech', bytes: bodies[format].length - 1 },
    });
    expect(read(format, bodies[format].subarray(0, 3))).toMatchObject({
      issue: 'audio-truncated',
      partial: null,
    });
  });

  it.each([
    ['nothing', Buffer.alloc(0), /^the body is empty/],
    ['white space', ' \n', /^the body is blank/],
    ['a header without audio', wavFile(0), /header and no audio/],
    [
      'a header and notes without audio',
      Buffer.concat([wavFile(0), riffChunk('LIST', Buffer.from('INFO'))]),
      /header and no audio/,
    ],
  ])('is empty with %s', (_, body, detail) => {
    expect(read('wav', body)).toEqual({
      kind: 'malformed',
      issue: 'empty',
      detail: matching(detail),
      partial: null,
    });
  });

  it.each([
    [
      '{"error":{"message":"no such voice"}}',
      'a JSON error was returned instead of audio: no such voice',
    ],
    ['{"audio":"UklGRg=="}', 'JSON was returned instead of audio'],
    ['[]', 'JSON was returned instead of audio'],
    ['<html><title>Log in</title>', 'an HTML page was returned instead of audio: Log in'],
    ['data: {"audio":""}\n\n', 'a stream of events was returned instead of audio'],
    ['no such voice', 'text was returned instead of audio: no such voice'],
  ])('is malformed if text was received: %s', (body, detail) => {
    expect(read('mp3', body)).toEqual({
      kind: 'malformed',
      issue: 'content-type',
      detail,
      partial: null,
    });
  });

  it('masks secrets in received text', () => {
    const context = contextWith({ redact: (text) => text.replaceAll('sk-1', '***') });
    const outcome = replay(
      entry(),
      [Buffer.from('wrong key sk-1')],
      labelled('text/plain'),
      context,
    );
    expect(outcome).toMatchObject({ detail: 'text was returned instead of audio: wrong key ***' });
  });

  it('is malformed if it is compressed, since that hides when its first audio came', () => {
    const headers = { 'content-type': 'audio/wav', 'content-encoding': 'gzip' };
    expect(replay(entry(), [gzipSync(bodies.wav)], { headers })).toMatchObject({
      kind: 'malformed',
      issue: 'content-type',
      detail: matching(/^the server sent the audio in the content encoding gzip/),
    });
  });

  it('is broken by a reset, with what was received', () => {
    const failure = { cause: 'reset', detail: 'reset' } as const;
    const half = [bodies.wav.subarray(0, 124)];
    expect(replay(entry(), half, { ...labelled('audio/wav'), failure })).toMatchObject({
      kind: 'broken',
      partial: { kind: 'speech', bytes: 124, audioSeconds: 0.005 },
    });
    expect(replay(entry(), [], { failure })).toMatchObject({ partial: null });
  });

  it('has its full duration if it is a real recording', () => {
    const url = new URL('../../../fixtures/speech/kurs.ogg', import.meta.url);
    const outcome = replay(entry({ format: 'opus' }), [readFileSync(url)], labelled('audio/ogg'));
    expect(outcome).toMatchObject({ answer: { audioSeconds: 254_982 / 48_000, notes: [] } });
  });

  it('counts as answering from its first byte on', () => {
    const reader = readerFor(entry());
    reader.onHeaders(readAt(0), 200, { 'content-type': 'audio/wav' });
    expect(reader.isAnswering).toBe(false);
    reader.onChunk(readAt(1), Buffer.from('R'));
    expect(reader.isAnswering).toBe(true);
  });
});
