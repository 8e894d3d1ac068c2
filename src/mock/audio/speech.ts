import { speechContentTypes, speechRequestSchema } from '../../contract/audio.ts';
import { speechCost } from '../../contract/prices.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import { type Handler, answerAt, sendBody } from '../http/mock-exchange.ts';
import { checkModel } from '../http/model-list.ts';
import { readJsonBody, readRequestBody, unservedField } from '../http/request-body.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * The frames of the MP3 files: MPEG-2 layer III, 64 kbit/s, 24 kHz, one channel. A frame has 576 samples and 72 ×
 * 64,000 / 24,000 bytes.
 */
const mp3Frame = { bytes: 192, milliseconds: 24 };
const framesPerPiece = 20;
/** A silent frame. The side information after the header consists of zeros, so there is nothing to decode. */
const silentFrame = Buffer.alloc(mp3Frame.bytes);
silentFrame.set([0xff, 0xf3, 0x84, 0xc0]);

const mp3Piece = Buffer.concat(Array.from({ length: framesPerPiece }, () => silentFrame));

/** The offset of the Info tag in a frame of one channel: after 4 bytes of header and 9 bytes of side information. */
const tagOffset = 13;
const frameCountFlag = 1;
const byteCountFlag = 2;

const infoFrame = (frames: number): Buffer => {
  const info = Buffer.from(silentFrame);
  info.write('Info', tagOffset, 'latin1');
  info.writeUInt32BE(frameCountFlag | byteCountFlag, tagOffset + 4);
  info.writeUInt32BE(frames, tagOffset + 8);
  info.writeUInt32BE((frames + 1) * mp3Frame.bytes, tagOffset + 12);
  return info;
};

/** Generates a silent MP3 file, exact to a frame (24 ms): the Info frame, then up to twenty frames at a time. */
function* silentMp3(seconds: number): Generator<Uint8Array, void> {
  let left = Math.round((seconds * 1000) / mp3Frame.milliseconds);
  yield infoFrame(left);
  for (; left > 0; left -= framesPerPiece) yield mp3Piece.subarray(0, left * mp3Frame.bytes);
}

/** The format of the WAV files: 24 kHz, one channel, 16 bits. Text-to-speech models write this format. */
const wav = { sampleRate: 24_000, bytesPerSample: 2, headerBytes: 44 };

const wavHeader = (bytes: number): Buffer => {
  const head = Buffer.alloc(wav.headerBytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(wav.headerBytes - 8 + bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // The number of channels.
  head.writeUInt32LE(wav.sampleRate, 24);
  head.writeUInt32LE(wav.sampleRate * wav.bytesPerSample, 28);
  head.writeUInt16LE(wav.bytesPerSample, 32);
  head.writeUInt16LE(8 * wav.bytesPerSample, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes, 40);
  return head;
};

const wavSecond = Buffer.alloc(wav.sampleRate * wav.bytesPerSample);

/** Generates a silent WAV file, exact to a sample: the header, then a second of samples at a time. */
function* silentWav(seconds: number): Generator<Uint8Array, void> {
  let left = Math.round(seconds * wav.sampleRate) * wav.bytesPerSample;
  yield wavHeader(left);
  for (; left > 0; left -= wavSecond.length) yield wavSecond.subarray(0, left);
}

/** Opus always counts time at this rate, in samples per second (RFC 7845, section 4). */
const opusSampleRate = 48_000;
/** The number of samples in a packet of 20 ms. */
const samplesPerPacket = 960;
/** The number of samples at the start that players discard: 2.5 ms, the look-ahead of CELT without SILK. */
const preSkip = 120;
/** The number of packets in a page of one second. */
const packetsPerPage = 50;
/** A packet of 20 ms: one silent CELT frame of full bandwidth and one channel (RFC 6716, section 3.1). */
const packet = Buffer.alloc(60);
packet.set([0xf8, 0xff, 0xfe]);

/** CRC-32 with the polynomial 0x04c11db7, neither reflected nor inverted (RFC 3533, section 6). */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder << 1) ^ (remainder < 0 ? 0x04c11db7 : 0);
  }
  return remainder;
});

const checksum = (bytes: Uint8Array): number => {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ (crcTable[(crc >>> 24) ^ byte] ?? 0);
  return crc >>> 0;
};

const serialNumber = 0x57454952;
const checksumOffset = 22;
const pageFlags = { none: 0, first: 2, last: 4 } as const;

/**
 * Builds an Ogg page. `granule` is the number of samples until its end. Each packet is shorter than 255 bytes, so it is
 * one segment.
 */
const pageOf = (
  flags: keyof typeof pageFlags,
  granule: number,
  sequence: number,
  packets: readonly Uint8Array[],
): Uint8Array => {
  const head = Buffer.alloc(27);
  head.write('OggS', 0, 'latin1');
  head.writeUInt8(pageFlags[flags], 5);
  head.writeBigUInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(serialNumber, 14);
  head.writeUInt32LE(sequence, 18);
  head.writeUInt8(packets.length, 26);
  const lengths = Buffer.from(packets.map(({ length }) => length));
  const page = Buffer.concat([head, lengths, ...packets]);
  page.writeUInt32LE(checksum(page), checksumOffset);
  return page;
};

const identification = Buffer.alloc(19);
identification.write('OpusHead', 0, 'latin1');
identification.writeUInt8(1, 8); // The version.
identification.writeUInt8(1, 9); // The number of channels.
identification.writeUInt16LE(preSkip, 10);
identification.writeUInt32LE(24_000, 12); // The sample rate before encoding.

const vendor = 'weir';
const comments = Buffer.alloc(16 + vendor.length);
comments.write('OpusTags', 0, 'latin1');
comments.writeUInt32LE(vendor.length, 8);
comments.write(vendor, 12, 'latin1');

/**
 * Generates a silent Ogg Opus file, a page at a time. The granule position of the last page makes the length exact to
 * the sample.
 */
function* silentOpus(seconds: number): Generator<Uint8Array, void> {
  const samples = preSkip + Math.round(seconds * opusSampleRate);
  const count = Math.ceil(samples / samplesPerPacket);
  yield pageOf('first', 0, 0, [identification]);
  yield pageOf('none', 0, 1, [comments]);
  for (let sent = 0, sequence = 2; sent < count; sequence += 1) {
    const packets = Array.from({ length: Math.min(packetsPerPage, count - sent) }, () => packet);
    sent += packets.length;
    const granule = Math.min(sent * samplesPerPacket, samples);
    yield pageOf(sent === count ? 'last' : 'none', granule, sequence, packets);
  }
}

/** Generators of silent files of a given duration in seconds. They make the pieces of a file on demand. */
export const silentAudio = {
  mp3: silentMp3,
  wav: silentWav,
  opus: silentOpus,
} as const satisfies Record<
  keyof typeof speechContentTypes,
  (seconds: number) => Iterator<Uint8Array, void>
>;

const charactersPerSecond = 15;
/** The minimum length of audio, in seconds. Players do not recognise an MP3 file of only a few frames. */
const minSeconds = 0.25;
/** The maximum length of audio, in seconds: a day. The length field of a WAV file allows little more. */
const maxSeconds = 86_400;

const parseSpeech = (body: Uint8Array, settings: Settings) => {
  const { model, voice, input, ...options } = readJsonBody(body, speechRequestSchema);
  const { voices } = settings.speech;
  checkModel(model, [settings.speech.model], settings);
  const { stream_format: streamed } = options;
  if ((streamed ?? 'audio') !== 'audio') throw unservedField('stream_format');
  if (!voices.includes(voice)) {
    const message = `The voice ${JSON.stringify(voice)} is not supported; choose from ${voices.join(', ')}.`;
    throw new RequestRefusal('unsupported-voice', message);
  }
  const characters = charactersIn(input);
  const seconds = Math.max(minSeconds, characters / (charactersPerSecond * (options.speed ?? 1)));
  if (seconds > maxSeconds) {
    const message = `Invalid input: its audio would be longer than ${maxSeconds / 3600} hours; split the text.`;
    throw new RequestRefusal('invalid-parameter', message);
  }
  return { characters, format: options.response_format ?? ('mp3' as const), seconds };
};

/**
 * Answers POST /audio/speech (interface 4.3) with silence. The whole answer is sent at once when it is ready, as the
 * real service does.
 */
export const answerSpeech: Handler = (admitted) => {
  const { exchange, settings, clock, bill } = admitted;
  readRequestBody(exchange, (body) => {
    const { characters, format, seconds } = parseSpeech(body, settings);
    const { base, perCharacter } = settings.speech;
    answerAt(admitted, clock.now() + base + characters * perCharacter, () => {
      exchange.writeHead(200, { 'content-type': speechContentTypes[format] });
      sendBody(exchange, silentAudio[format](seconds), () => {
        exchange.counters.billed.characters += characters;
        bill({ kind: 'speech', quantities: { characters }, micros: speechCost(characters) });
        exchange.recordEnd('completed.speech');
      });
    });
  });
};
