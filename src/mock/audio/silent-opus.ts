/** Opus always counts samples of 48 kHz (RFC 7845, section 4). */
const sampleRate = 48_000;
/** 20 ms. */
const samplesPerPacket = 960;
/** Samples that a player throws away at the beginning: 2.5 ms, the look-ahead of CELT alone. */
const preSkip = 120;
/** A page holds a second of sound. */
const packetsPerPage = 50;

/**
 * One packet of 20 ms: one CELT frame of full bandwidth and one channel (RFC 6716, section 3.1),
 * whose first bits say that it is silent; what follows is not read.
 */
const packet = Buffer.alloc(60);
packet.set([0xf8, 0xff, 0xfe]);

const pageFlags = { none: 0, first: 2, last: 4 } as const;

interface Page {
  readonly flags: number;
  /** Samples until the end of this page, pre-skip included. */
  readonly granule: number;
  readonly sequence: number;
  /** Each shorter than 255 bytes, so that it is one segment. */
  readonly packets: readonly Uint8Array[];
}

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

const pageOf = ({ flags, granule, sequence, packets }: Page): Uint8Array => {
  const head = Buffer.alloc(27 + packets.length);
  head.write('OggS', 0, 'latin1');
  head.writeUInt8(flags, 5);
  head.writeBigUInt64LE(BigInt(granule), 6);
  head.writeUInt32LE(serialNumber, 14);
  head.writeUInt32LE(sequence, 18);
  head.writeUInt8(packets.length, 26);
  head.set(
    packets.map(({ length }) => length),
    27,
  );
  const page = Buffer.concat([head, ...packets]);
  page.writeUInt32LE(checksum(page), checksumOffset);
  return page;
};

const identification = Buffer.alloc(19);
identification.write('OpusHead', 0, 'latin1');
identification.writeUInt8(1, 8); // version
identification.writeUInt8(1, 9); // channels
identification.writeUInt16LE(preSkip, 10);
identification.writeUInt32LE(24_000, 12); // rate of what was encoded

const vendor = 'weir';
const comments = Buffer.alloc(16 + vendor.length);
comments.write('OpusTags', 0, 'latin1');
comments.writeUInt32LE(vendor.length, 8);
comments.write(vendor, 12, 'latin1');

/** An Ogg Opus file of silence: a page at a time. The last page's granule position cuts it to the exact sample. */
export function* silentOpus(seconds: number): Generator<Uint8Array, void> {
  const samples = preSkip + Math.round(seconds * sampleRate);
  const count = Math.ceil(samples / samplesPerPacket);
  yield pageOf({ flags: pageFlags.first, granule: 0, sequence: 0, packets: [identification] });
  yield pageOf({ flags: pageFlags.none, granule: 0, sequence: 1, packets: [comments] });
  for (let sent = 0, sequence = 2; sent < count; sequence += 1) {
    const size = Math.min(packetsPerPage, count - sent);
    sent += size;
    yield pageOf({
      flags: sent === count ? pageFlags.last : pageFlags.none,
      granule: Math.min(sent * samplesPerPacket, samples),
      sequence,
      packets: Array.from({ length: size }, () => packet),
    });
  }
}
