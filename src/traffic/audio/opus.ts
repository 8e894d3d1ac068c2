/** Opus packets count time in samples of 48 kHz, at any recording rate (RFC 7845 section 4). */
export const opusRate = 48_000;

/** The samples to skip at the start, from the identification header (RFC 7845 section 5.1); `null` if it is not one. */
export const readOpusHead = (packet: Buffer): { readonly preSkip: number } | null => {
  const isHead = packet.toString('latin1', 0, 8) === 'OpusHead' && packet.length >= 19;
  // The upper half of the version changes when old readers cannot follow.
  return isHead && packet[8]! >> 4 === 0 && packet[9]! > 0
    ? { preSkip: packet.readUInt16LE(10) }
    : null;
};

export const tagsMagic = 'OpusTags';

const silkFrames = [480, 960, 1920, 2880] as const;
const hybridFrames = [480, 960] as const;
const celtFrames = [120, 240, 480, 960] as const;

/** The samples of a packet, by its first two bytes (RFC 6716 section 3.1). */
const samplesOf = (first: number, second: number): number => {
  const configuration = first >> 3;
  const frame =
    configuration < 12
      ? silkFrames[configuration & 3]!
      : configuration < 16
        ? hybridFrames[configuration & 1]!
        : celtFrames[configuration & 3]!;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 63 : 2;
  return frame * frames;
};

/** The samples of all packets in a body. */
export const samplesIn = (body: Buffer, packetLengths: readonly number[]): number => {
  let start = 0;
  let samples = 0;
  for (const length of packetLengths) {
    if (length > 0) samples += samplesOf(body[start] ?? 0, length > 1 ? (body[start + 1] ?? 0) : 0);
    start += length;
  }
  return samples;
};
