import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMp3Frame } from '../../contract/containers.ts';
import { startManualMock } from '../gateway/manual-mock.fixture.ts';
import { silentAudio } from './speech.ts';

/** A short look at each side of audio; `speech.test.ts` and `transcription.test.ts` have all of it. */

const sentence = 'The water is calm, and the gate is open today.';
const asked = { model: 'weir-tts', input: sentence, voice: 'Emily.wav' };
const errorOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

/** The seconds of an MP3 by its frames, without the first, which describes the others. */
const secondsOfFrames = (file: Buffer): number => {
  let [seconds, first] = [0, 0];
  for (let at = 0; at < file.length;) {
    const { length, samples, sampleRate } = readMp3Frame(file.subarray(at))!;
    seconds += samples / sampleRate;
    first ||= samples / sampleRate;
    at += length;
  }
  return seconds - first;
};

const folder = new URL('../../../fixtures/speech/', import.meta.url);
const gate = new Uint8Array(readFileSync(new URL('gate.wav', folder)));
const formOf = (fields: Record<string, string> = {}, file = gate, name = 'gate.wav'): FormData => {
  const form = new FormData();
  for (const [field, value] of Object.entries({ model: 'weir/whisper', ...fields }))
    form.append(field, value);
  form.set('file', new Blob([file]), name);
  return form;
};

describe('speech', () => {
  it('plays for a second for 15 characters, in each format and at each speed', async () => {
    const { speak, afterMinute } = await startManualMock();
    const say = async (more: object = {}) => {
      const answer = await afterMinute(speak({ ...asked, ...more }));
      const bytes = Buffer.from(await answer.arrayBuffer());
      return { type: answer.headers.get('content-type'), bytes };
    };
    const wav = await say({ response_format: 'wav' });
    expect([wav.type, wav.bytes.length]).toEqual(['audio/wav', 44 + (46 / 15) * 48_000]);
    const fast = await say({ response_format: 'wav', speed: 2 });
    expect(fast.bytes.length).toBe(44 + (23 / 15) * 48_000);
    const mp3 = await say();
    expect(mp3.type).toBe('audio/mpeg');
    expect(secondsOfFrames(mp3.bytes)).toBeCloseTo(0.024 * Math.round(46 / 15 / 0.024), 6);
    const opus = await say({ response_format: 'opus', input: 'Hi' });
    expect([opus.type, opus.bytes.toString('latin1', 0, 4)]).toEqual(['audio/ogg', 'OggS']);
    // A quarter of a second at least: 12,000 samples, and those before the first that is played.
    const last = opus.bytes.lastIndexOf('OggS');
    expect(Number(opus.bytes.readBigUInt64LE(last + 6))).toBe(12_000 + 120);
  });

  it('is billed by characters', async () => {
    const { speak, afterMinute, counters } = await startManualMock();
    await (await afterMinute(speak({ ...asked, input: '🌊é!' }))).arrayBuffer();
    expect(await counters()).toMatchObject({
      'completed.speech': 1,
      characters: 3,
      'cost.micros': 45,
    });
  });

  it.each([
    ['another voice', { voice: 'alloy' }, [400, 'unsupported_voice']],
    ['a chat model', { model: 'weir/small' }, [404, 'model_not_found']],
    ['no text', { input: '' }, [400, 'invalid_value']],
    ['another format', { response_format: 'flac' }, [400, 'invalid_value']],
    ['no speed', { speed: 0 }, [400, 'invalid_value']],
    ['a text of more than a day', { input: 'a'.repeat(15 * 86_400 + 1) }, [400, 'invalid_value']],
  ])('is refused with %s', async (_, more, expected) => {
    const { speak } = await startManualMock();
    expect(await errorOf(await speak({ ...asked, ...more }))).toEqual(expected);
  });
});

describe('the time until an answer', () => {
  const waiting = async (settings: object, ask: 'speech' | 'transcription', length: number) => {
    const { clock, speak, upload, counters } = await startManualMock(settings);
    const answer = ask === 'speech' ? speak(asked) : upload(formOf());
    await clock.whenWaiting();
    clock.advance(length - 0.1);
    const { inFlight } = await counters();
    clock.advance(0.2);
    return [inFlight, (await answer).status];
  };

  it('of speech grows with its characters, and of a transcription with its seconds', async () => {
    const speech = { speech: { base: 50, perCharacter: 2 } };
    expect(await waiting(speech, 'speech', 50 + 46 * 2)).toEqual([1, 200]);
    // The clip lasts for 1.213 s.
    const transcription = { transcription: { base: 70, perSecond: 100 } };
    expect(await waiting(transcription, 'transcription', 70 + 121.3)).toEqual([1, 200]);
  });
});

describe('silence', () => {
  it('says its length in the header of a WAV, and its frames and bytes in that of an MP3', () => {
    const wav = Buffer.concat([...silentAudio.wav(1.5)]);
    expect([wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([36 + 72_000, 72_000]);
    expect([wav.readUInt32LE(24), wav.readUInt32LE(28)]).toEqual([24_000, 48_000]);
    const mp3 = Buffer.concat([...silentAudio.mp3(1)]);
    expect(mp3.toString('latin1', 13, 17)).toBe('Info');
    expect([mp3.readUInt32BE(21), mp3.readUInt32BE(25)]).toEqual([42, mp3.length]);
  });

  it('is in Ogg Opus in pages that are counted, of which the last is marked', () => {
    const pages = [...silentAudio.opus(2.01)].map((bytes) => {
      const page = Buffer.from(bytes);
      return [page.readUInt8(5), Number(page.readBigUInt64LE(6)), page.readUInt32LE(18), page[26]];
    });
    expect(pages).toEqual([
      [2, 0, 0, 1],
      [0, 0, 1, 1],
      [0, 48_000, 2, 50],
      [0, 96_000, 3, 50],
      [4, 96_600, 4, 1],
    ]);
  });
});

describe('a transcription', () => {
  it('has the text of a clip that comes with Weir, in each format, and is billed by its seconds', async () => {
    const { upload, afterMinute, counters } = await startManualMock();
    const answerTo = async (fields: Record<string, string>) => {
      const answer = await afterMinute(upload(formOf(fields)));
      return [answer.headers.get('content-type'), await answer.text()];
    };
    expect(await answerTo({ response_format: 'text' })).toEqual([
      'text/plain; charset=utf-8',
      'The gate is open.\n',
    ]);
    expect(await counters()).toMatchObject({
      'completed.transcription': 1,
      audioMilliseconds: 1213,
      'cost.micros': 121,
    });
    expect(await answerTo({ response_format: 'srt' })).toEqual([
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,213\nThe gate is open.\n\n',
    ]);
    expect((await answerTo({ response_format: 'vtt' }))[1]).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.213\nThe gate is open.\n\n',
    );
    const [type, text] = await answerTo({ language: 'fr' });
    expect(type).toBe('application/json');
    expect(JSON.parse(text!)).toMatchObject({
      text: 'The gate is open.',
      language: 'fr',
      segments: [{ start: 0, end: 1.213, text: 'The gate is open.' }],
    });
  });

  it.each<[string, FormData, [number, string]]>([
    ['another extension', formOf({}, gate, 'gate.flac'), [400, 'unsupported_format']],
    ['nothing in its file', formOf({}, new Uint8Array()), [400, 'empty_file']],
    ['noise', formOf({}, new Uint8Array(900).fill(7)), [400, 'undecodable_audio']],
    ['half a file', formOf({}, gate.slice(0, 2000)), [400, 'truncated_audio']],
    ['a chat model', formOf({ model: 'weir/small' }), [404, 'model_not_found']],
    ['a wrong format', formOf({ response_format: 'xml' }), [400, 'invalid_value']],
  ])('with %s is refused, and costs nothing', async (_, form, expected) => {
    const { upload, counters } = await startManualMock();
    expect(await errorOf(await upload(form))).toEqual(expected);
    expect(await counters()).toMatchObject({ refused: 1, audioMilliseconds: 0, 'cost.micros': 0 });
  });
});
