import type { SpeechFormat } from '../../model/workload/traffic.ts';
import { createScanner } from './audio-container.ts';
import type { ScanResult } from './scanner.ts';

/** This file makes small audio files byte by byte for tests, and scans them. */

/** Returns a chunk of a RIFF file. `declared` is the length that it claims. */
export const riffChunk = (id: string, body: Buffer, declared = body.length): Buffer => {
  const size = Buffer.alloc(4);
  size.writeUInt32LE(declared);
  return Buffer.concat([Buffer.from(id, 'latin1'), size, body, Buffer.alloc(body.length % 2)]);
};

/** Returns the format chunk of 16-bit PCM at 8 kHz in one channel. `codec` and the extension can be overridden. */
export const wavFormat = (codec = 1, extension: readonly number[] = []): Buffer => {
  const format = Buffer.alloc(16 + extension.length);
  format.writeUInt16LE(codec, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(8000, 4);
  format.writeUInt32LE(16_000, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  format.set(extension, 16);
  return riffChunk('fmt ', format);
};

export const riff = (...chunks: readonly Buffer[]): Buffer =>
  riffChunk('RIFF', Buffer.concat([Buffer.from('WAVE'), ...chunks]));

/** Returns a WAV file of `samples` samples. */
export const wavFile = (samples: number, declared = samples * 2): Buffer =>
  riff(wavFormat(), riffChunk('data', Buffer.alloc(samples * 2, 7), declared));

/**
 * Returns a WAV file of `samples` samples that declares the bytes of its audio in 64 bits. `chunk32` is its 32-bit
 * length.
 */
export const longWav = (
  samples: number,
  {
    length = samples * 2,
    signature = 'RF64',
    chunk32 = 0xffff_ffff,
  }: { length?: number | bigint; signature?: string; chunk32?: number } = {},
): Buffer => {
  const lengths = Buffer.alloc(28);
  lengths.writeBigUInt64LE(BigInt(length), 8);
  const audio = riffChunk('data', Buffer.alloc(samples * 2, 7), chunk32);
  const body = Buffer.concat([Buffer.from('WAVE'), riffChunk('ds64', lengths), wavFormat(), audio]);
  return riffChunk(signature, body, 0xffff_ffff);
};

/** The duration of a sample frame in ms: MPEG 2 layer III at 16 kHz, 8 kbit/s, mono, 36 bytes and 576 samples. */
export const mp3FrameMs = 36;
export const mp3Frame = (content: Buffer = Buffer.alloc(0)): Buffer => {
  const frame = Buffer.alloc(36, 0x55);
  frame.set([0xff, 0xf3, 0x18, 0xc0]);
  frame.set(content, 4);
  return frame;
};
export const mp3Frames = (count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, () => mp3Frame()));

/** Returns a frame that declares how many frames follow, as LAME writes it. Some encoders leave room for a checksum. */
export const infoFrame = (frames: number, checksum = 0): Buffer =>
  mp3Frame(
    Buffer.from([
      ...Buffer.alloc(9 + checksum),
      ...Buffer.from('Info'),
      0,
      0,
      0,
      1,
      0,
      0,
      0,
      frames,
    ]),
  );

/** Returns an ID3v2 tag around `length` bytes. */
export const id3 = (length: number): Buffer =>
  Buffer.concat([
    Buffer.from('ID3\x04\0\0\0\0'),
    Buffer.of(length >> 7, length & 127),
    Buffer.alloc(length, 0xff),
  ]);

const segmentsOf = (length: number): readonly number[] => [
  ...Array.from({ length: Math.floor(length / 255) }, () => 255),
  length % 255,
];

/** The parts of an Ogg page other than its packets. */
export interface PageParts {
  readonly first?: boolean;
  readonly last?: boolean;
  readonly position?: number;
  readonly serial?: number;
  /** Whether the last packet continues. It must then fill its segments. */
  readonly open?: boolean;
}

/** Returns a page of an Ogg file. Its checksum stays 0, since no code here checks it. */
export const oggPage = (packets: readonly Buffer[], parts: PageParts = {}): Buffer => {
  const { first = false, last = false, position = -1, serial = 1, open = false } = parts;
  const lacing = packets.flatMap(({ length }) => segmentsOf(length));
  if (open) lacing.pop();
  const header = Buffer.alloc(27);
  header.write('OggS', 'latin1');
  header[5] = (first ? 2 : 0) + (last ? 4 : 0);
  header.writeBigInt64LE(BigInt(position), 6);
  header.writeUInt32LE(serial, 14);
  header[26] = lacing.length;
  return Buffer.concat([header, Buffer.from(lacing), ...packets]);
};

export const opusHead = (preSkip: number): Buffer => {
  const head = Buffer.alloc(19);
  head.write('OpusHead\x01\x01', 'latin1');
  head.writeUInt16LE(preSkip, 10);
  return head;
};

/** An Opus packet of 20 ms, that is 960 samples. */
export const opusPacket = Buffer.from([0x78, 1, 2, 3]);

export const opusHeaders = (preSkip: number, serial = 1): Buffer =>
  Buffer.concat([
    oggPage([opusHead(preSkip)], { first: true, position: 0, serial }),
    oggPage([Buffer.from('OpusTags and so on')], { position: 0, serial }),
  ]);

/** Returns an Ogg Opus file of `packets` packets, one to a page. It begins to play after `preSkip` samples. */
export const opusFile = (packets: number, preSkip = 312, serial = 1): Buffer =>
  Buffer.concat([
    opusHeaders(preSkip, serial),
    ...Array.from({ length: packets }, (_, index) =>
      oggPage([opusPacket], { position: 960 * (index + 1), last: index === packets - 1, serial }),
    ),
  ]);

/** Scans a file that arrives in these reads. */
export const scanReads = (format: SpeechFormat, ...reads: readonly Uint8Array[]): ScanResult => {
  const scanner = createScanner(format);
  for (const read of reads) {
    const bytes = Buffer.from(read);
    scanner.feed(bytes);
    bytes.fill('"');
  }
  return scanner.end();
};

/** Returns the number of bytes up to the first byte of audio; infinite if there is none. */
export const bytesToAudio = (format: SpeechFormat, bytes: Buffer): number => {
  const scanner = createScanner(format);
  for (let count = 1; count <= bytes.length; count += 1) {
    scanner.feed(bytes.subarray(count - 1, count));
    if (scanner.hasAudio) return count;
  }
  return Number.POSITIVE_INFINITY;
};

const noFault = { fault: null, notes: [] };
export const scanWithoutFault = (seconds: number): ScanResult => ({ seconds, ...noFault });
