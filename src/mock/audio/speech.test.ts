// @gate 1 s
import * as fc from 'fast-check';
import { parseBuffer } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { helloChat, startManualMock } from '../gateway/manual-mock.fixture.ts';
import { silentAudio } from './speech.ts';

// @long 1 s

const sentence = 'The water is calm, and the gate is open today.';
const asked = { model: 'weir-tts', input: sentence, voice: 'Emily.wav' };

const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());
const formatOf = async (bytes: Uint8Array) =>
  (await parseBuffer(bytes, undefined, { duration: true })).format;

/** Status and error code of an answer. */
const verdict = async (response: Response) => [
  response.status,
  ((await response.json()) as { error: { code: string } }).error.code,
];

describe('speech', () => {
  it.each([
    ['mp3', 'audio/mpeg', 'MPEG', 0.024 * Math.round(46 / 15 / 0.024)],
    ['wav', 'audio/wav', 'WAVE', 46 / 15],
    ['opus', 'audio/ogg', 'Ogg', 46 / 15],
  ])('in %s is %s in a container that plays as long as the text', async (...row) => {
    const [response_format, contentType, container, seconds] = row;
    const { speak, afterMinute } = await startManualMock();
    const answer = await afterMinute(speak({ ...asked, response_format }));
    expect(answer.headers.get('content-type')).toBe(contentType);
    const format = await formatOf(await bytesOf(answer));
    expect(format.container).toBe(container);
    expect(format.duration).toBeCloseTo(seconds, 4);
  });

  it('is MP3 by default', async () => {
    const { speak, afterMinute } = await startManualMock();
    const answer = await afterMinute(speak(asked));
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
  });

  it.each([
    [0.25, 46 / 15 / 0.25],
    [2, 46 / 15 / 2],
    [4, 46 / 15 / 4],
    [8, 46 / 15 / 8],
  ])('at speed %d plays for %d s', async (speed, seconds) => {
    const { speak, afterMinute } = await startManualMock();
    const answer = await afterMinute(speak({ ...asked, response_format: 'wav', speed }));
    expect((await formatOf(await bytesOf(answer))).duration).toBeCloseTo(seconds, 4);
  });

  it('of a few characters plays for a quarter of a second', async () => {
    const { speak, afterMinute } = await startManualMock();
    const answer = await afterMinute(speak({ ...asked, input: 'Hi', response_format: 'opus' }));
    expect((await formatOf(await bytesOf(answer))).duration).toBe(0.25);
  });

  it('is sent when all of it is ready, later for each character', async () => {
    const { clock, speak, counters } = await startManualMock({
      speech: { base: 50, perCharacter: 2 },
    });
    const answer = speak(asked);
    await clock.whenWaiting();
    clock.advance(50 + 46 * 2 - 0.1);
    expect(await counters()).toMatchObject({ inFlight: 1, completed: 0 });
    clock.advance(0.1);
    expect((await answer).status).toBe(200);
  });

  it('counts and bills characters, not the units in which they are stored', async () => {
    const { speak, afterMinute, counters } = await startManualMock();
    await (await afterMinute(speak(asked))).arrayBuffer();
    await (await afterMinute(speak({ ...asked, input: '🌊é' }))).arrayBuffer();
    expect(await counters()).toMatchObject({
      'completed.speech': 2,
      characters: 48,
      'cost.micros': 48 * 15,
    });
  });

  it('of ten minutes reaches a slow reader completely and is counted when all of it is written', async () => {
    const { speak, afterMinute, counters } = await startManualMock({ speech: { perCharacter: 0 } });
    const input = 'a'.repeat(15 * 600);
    const answer = await afterMinute(speak({ ...asked, input, response_format: 'wav' }));
    expect(await counters()).toMatchObject({ inFlight: 1, completed: 0, characters: 0 });
    expect((await bytesOf(answer)).length).toBe(44 + 600 * 48_000);
    expect(await counters()).toMatchObject({ inFlight: 0, 'completed.speech': 1 });
  });

  it('that its client aborts halfway is neither completed nor billed', async () => {
    const { speak, afterMinute, waitForCounters } = await startManualMock({
      speech: { perCharacter: 0 },
    });
    const hangUp = new AbortController();
    const long = { ...asked, input: 'a'.repeat(15 * 3600), response_format: 'wav' };
    const answer = await afterMinute(speak(long, { signal: hangUp.signal }));
    const reader = answer.body!.getReader();
    await reader.read();
    hangUp.abort();
    await expect(reader.read()).rejects.toThrow('aborted');
    await waitForCounters({ aborted: 1, inFlight: 0, 'completed.speech': 0, 'cost.micros': 0 });
  });

  it('is cut when the mock stops, and is visibly incomplete', async () => {
    const { mock, speak, afterMinute } = await startManualMock({ speech: { perCharacter: 0 } });
    const long = { ...asked, input: 'a'.repeat(15 * 3600), response_format: 'wav' };
    const answer = await afterMinute(speak(long));
    const reader = answer.body!.getReader();
    await reader.read();
    await mock.close();
    const rest = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await expect(rest()).rejects.toThrow('terminated');
  });

  it('whose client disconnects before it is neither completed nor billed', async () => {
    const { clock, speak, waitForCounters } = await startManualMock();
    const hangUp = new AbortController();
    const answer = speak(asked, { signal: hangUp.signal });
    await clock.whenWaiting();
    hangUp.abort();
    await expect(answer).rejects.toThrow('aborted');
    await waitForCounters({ aborted: 1, inFlight: 0, 'completed.speech': 0, 'cost.micros': 0 });
    expect(clock.waiting).toBe(0);
  });
});

describe('a request for speech', () => {
  it.each([
    [{ ...asked, voice: 'alloy' }, [400, 'unsupported_voice']],
    [{ ...asked, voice: 'emily.wav' }, [400, 'unsupported_voice']],
    [{ ...asked, model: 'weir/none' }, [404, 'model_not_found']],
    [{ ...asked, model: 'weir/small' }, [404, 'model_not_found']],
    [{ ...asked, input: '' }, [400, 'invalid_value']],
    [{ ...asked, response_format: 'flac' }, [400, 'invalid_value']],
    [{ ...asked, speed: 0 }, [400, 'invalid_value']],
    [{ ...asked, speed: '2' }, [400, 'invalid_value']],
    [{ input: sentence }, [400, 'invalid_value']],
    ['not json', [400, 'invalid_json']],
  ])('is refused: %j', async (body, expected) => {
    const { speak } = await startManualMock();
    expect(await verdict(await speak(body))).toEqual(expected);
  });

  it('is refused when its audio would be longer than a day', async () => {
    const { speak } = await startManualMock();
    const day = 15 * 86_400;
    const longer = await speak({ ...asked, input: 'a'.repeat(day + 1) });
    expect(await longer.json()).toMatchObject({
      error: { message: 'Invalid input: its audio would be longer than 24 hours; split the text.' },
    });
  });

  it('may name any of the 28 voices, or those of the settings', async () => {
    const { speak } = await startManualMock();
    const { error } = (await (await speak({ ...asked, voice: 'x' })).json()) as {
      error: { message: string };
    };
    const named = error.message.match(/\w+\.wav/g) ?? [];
    expect(new Set(named).size).toBe(28);
    expect(named).toContain('Emily.wav');
    const other = await startManualMock({ speech: { voices: ['Zoe.wav'], model: 'acme/tts' } });
    const of = (voice: string) =>
      other.afterMinute(other.speak({ ...asked, model: 'acme/tts', voice }));
    expect([(await of('Zoe.wav')).status, (await of('Emily.wav')).status]).toEqual([200, 400]);
  });

  it('counts as a request, and no tokens', async () => {
    const { speak, afterMinute } = await startManualMock({ limits: { requestsPerMinute: 1 } });
    const { headers } = await afterMinute(speak(asked));
    expect(headers.get('x-ratelimit-api_key-remaining-requests')).toBe('0');
    expect(headers.get('x-ratelimit-api_key-remaining-tokens')).toBe('2000000');
  });
});

describe('a chat', () => {
  it('with a model for audio is refused with the models of the endpoint', async () => {
    const { chat } = await startManualMock();
    const answer = await chat({ ...helloChat, model: 'weir-tts' });
    expect([answer.status, await answer.json()]).toMatchInlineSnapshot(`
      [
        404,
        {
          "error": {
            "code": "model_not_found",
            "message": "The model "weir-tts" is not served by this endpoint; it serves weir/small, weir/large.",
            "type": "invalid_request_error",
          },
        },
      ]
    `);
  });

  it('costs the price of its model, rounded once, and nothing without a price', async () => {
    const { chatAfterMinute, counters } = await startManualMock({
      prices: { 'weir/small': { input: 600_000, output: 2_400_000 } },
    });
    await (await chatAfterMinute({ ...helloChat, max_tokens: 3 })).json();
    expect(await counters()).toMatchObject({ 'cost.micros': 8 });
    await (await chatAfterMinute({ ...helloChat, max_tokens: 4, stream: true })).text();
    expect(await counters()).toMatchObject({ 'cost.micros': 8 + 11 });
    await (await chatAfterMinute({ ...helloChat, model: 'weir/large' })).json();
    expect(await counters()).toMatchObject({ completed: 3, 'cost.micros': 8 + 11 });
  });
});

const durationBy = async (format: keyof typeof silentAudio, seconds: number) => {
  const file = Buffer.concat([...silentAudio[format](seconds)]);
  return (await parseBuffer(file, undefined, { duration: true })).format.duration;
};

const lengths = [0.25, 0.26, 1, 2.5, 6.68, 60, 61.7, 601.013];

describe('silence', () => {
  it.each(lengths)(
    'of %d s is exact in WAV and Opus, and to a frame of 24 ms in MP3',
    async (seconds) => {
      expect(await durationBy('wav', seconds)).toBeCloseTo(seconds, 4);
      expect(await durationBy('opus', seconds)).toBeCloseTo(seconds, 4);
      expect(await durationBy('mp3', seconds)).toBeCloseTo(0.024 * Math.round(seconds / 0.024), 9);
    },
  );

  it('declares the length of the file in the header of a WAV', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.25, max: 5, noNaN: true }), (seconds) => {
        const file = Buffer.concat([...silentAudio.wav(seconds)]);
        expect(file.readUInt32LE(4)).toBe(file.length - 8);
        expect(file.readUInt32LE(40)).toBe(file.length - 44);
      }),
      { numRuns: 20 },
    );
  });

  it('is in MP3 an Info frame with the counts of frames and bytes, then equal frames', () => {
    const file = Buffer.concat([...silentAudio.mp3(1)]);
    const frames = Array.from({ length: file.length / 192 }, (_, n) =>
      file.subarray(n * 192, (n + 1) * 192).toString('hex'),
    );
    expect(frames).toHaveLength(43);
    expect(new Set(frames.slice(1)).size).toBe(1);
    expect(file.toString('latin1', 13, 17)).toBe('Info');
    expect([file.readUInt32BE(21), file.readUInt32BE(25)]).toEqual([42, file.length]);
  });
});

/** CRC-32 of an Ogg page bit by bit, as RFC 3533 puts it: long division of the whole page, its own field as zero. */
const slowChecksum = (page: Buffer): number => {
  const bits = [...page.fill(0, 22, 26)].flatMap((byte) =>
    Array.from({ length: 8 }, (_, bit) => (byte >> (7 - bit)) & 1),
  );
  let remainder = 0n;
  for (const bit of [...bits, ...Array.from({ length: 32 }, () => 0)]) {
    remainder = (remainder << 1n) | BigInt(bit);
    if (remainder >> 32n === 1n) remainder ^= 0x104c11db7n;
  }
  return Number(remainder);
};

describe('an Ogg Opus file', () => {
  const pagesOf = (seconds: number) =>
    [...silentAudio.opus(seconds)].map((bytes) => {
      const page = Buffer.from(bytes);
      const checksum = page.readUInt32LE(22);
      return {
        flags: page.readUInt8(5),
        granule: Number(page.readBigUInt64LE(6)),
        sequence: page.readUInt32LE(18),
        packets: page.readUInt8(26),
        isIntact: slowChecksum(page) === checksum,
      };
    });

  it('has a head, comments, and pages of fifty packets; the last is marked and ends at the exact sample', () => {
    expect(pagesOf(2.01)).toEqual([
      { flags: 2, granule: 0, sequence: 0, packets: 1, isIntact: true },
      { flags: 0, granule: 0, sequence: 1, packets: 1, isIntact: true },
      { flags: 0, granule: 48_000, sequence: 2, packets: 50, isIntact: true },
      { flags: 0, granule: 96_000, sequence: 3, packets: 50, isIntact: true },
      { flags: 4, granule: 96_600, sequence: 4, packets: 1, isIntact: true },
    ]);
  });

  it('has exactly as many packets as its samples need', () => {
    const packetsIn = (seconds: number) =>
      pagesOf(seconds)
        .slice(2)
        .reduce((sum, { packets }) => sum + packets, 0);
    const whole = (960 * 50 - 120) / 48_000;
    expect([whole, whole + 1 / 48_000].map(packetsIn)).toEqual([50, 51]);
    expect(pagesOf(whole).map(({ flags }) => flags)).toEqual([2, 0, 4]);
  });
});
