import { describe, expect, it } from 'vitest';
import { reply, said } from './judged.fixture.ts';

/** So many seconds of silence as WAV: 16 bits, mono, 8,000 samples a second. */
const wav = (seconds: number, cut = 0): Buffer => {
  const bytes = Math.round(seconds * 8_000) * 2;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return Buffer.concat([head, Buffer.alloc(bytes - cut)]);
};
// The text that is spoken.
const characters = 'The river rises slowly behind the old weir this morning.'.length;

describe('the file of a speech', () => {
  it.each([
    ['speech-wav', Buffer.alloc(0), 'violation: the body is empty'],
    ['speech-wav', Buffer.from('hello'), 'violation: 5 bytes in no known container'],
    ['speech-mp3', wav(1), /^violation: the body is WAV/],
    ['speech-wav', wav(2), 'pass: WAV, 2.00 s in 32044 bytes'],
    ['speech-wav', wav(0), /^violation: the WAV file (has no audio|is damaged)/],
    ['speech-wav', wav(2, 100), /^violation: the WAV file is damaged: /],
  ])('%s of %o', (id, body, expected) => {
    const judged = said(`${id}.container`, [reply(id, body)]);
    if (typeof expected === 'string') expect(judged).toBe(expected);
    else expect(judged).toMatch(expected);
  });

  it.each([
    ['speech-wav', 'audio/wav', 'pass: audio/wav'],
    ['speech-wav', 'audio/vnd.wave; x=1', 'pass: audio/vnd.wave'],
    ['speech-wav', 'audio/mp3', 'deviation (mislabelled-speech): wav audio as audio/mp3'],
    ['speech-opus', 'audio/ogg', 'pass: audio/ogg'],
    ['speech-mp3', 'application/octet-stream', 'open: application/octet-stream'],
    ['speech-mp3', '', 'open: no content type'],
  ])('%s is called %j', (id, type, expected) => {
    const answer = reply(id, '', { headers: { 'content-type': type } });
    expect(said(`${id}.content-type`, [answer])).toBe(expected);
  });
});

describe('the length of a speech', () => {
  it.each([
    [characters / 5, 'pass'],
    [characters / 5 + 0.1, 'deviation (odd-length)'],
    [characters / 40, 'pass'],
    [characters / 40 - 0.1, 'deviation (odd-length)'],
  ])('of %f s is that of a person or a machine: %s', (seconds, outcome) => {
    expect(said('speech-wav.length', [reply('speech-wav', wav(seconds))])).toBe(
      `${outcome}: ${seconds.toFixed(2)} s for ${characters} characters`,
    );
  });

  it('is unknown where the file cannot be read', () => {
    expect(said('speech-wav.length', [reply('speech-wav', 'x')])).toBe(
      'unchecked: the audio cannot be read',
    );
    expect(said('speech-wav.length', [reply('speech-wav', wav(3, 9))])).toBe(
      'unchecked: the audio cannot be read',
    );
    expect(
      said('speech-fast.speed', [reply('speech-fast', wav(1)), reply('speech-wav', 'x')]),
    ).toBe('unchecked: the audio cannot be read');
    expect(
      said('speech-fast.speed', [reply('speech-fast', 'x'), reply('speech-wav', wav(1))]),
    ).toBe('unchecked: the audio cannot be read');
  });

  // At speed 2, four seconds of speech are two.
  it.each([
    [2, 'pass'],
    [1.2, 'pass'],
    [1.1, 'deviation (other-speed)'],
    [3.34, 'pass'],
    [3.4, 'deviation (other-speed)'],
  ])('of %f s at speed 2 is half of four seconds: %s', (seconds, outcome) => {
    expect(
      said('speech-fast.speed', [reply('speech-fast', wav(seconds)), reply('speech-wav', wav(4))]),
    ).toBe(`${outcome}: ${seconds.toFixed(2)} s, and 4.00 s at speed 1`);
  });
});
