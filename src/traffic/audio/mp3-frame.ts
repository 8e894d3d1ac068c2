/** Samples per second of MPEG 1; MPEG 2 has half of them and MPEG 2.5 a quarter. */
const sampleRates = [44_100, 48_000, 32_000];

const mpeg1 = {
  divisor: 1,
  samples: 1152,
  sideInfo: { mono: 17, stereo: 32 },
  /** Bits per second of layer III in units of 1,000; 0 (free) is not supported, 15 not allowed. */
  bitRates: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
};
const mpeg2 = {
  divisor: 2,
  samples: 576,
  sideInfo: { mono: 9, stereo: 17 },
  bitRates: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
/** By the two version bits of the header; MPEG 2.5 is Fraunhofer's extension. */
const versions = [{ ...mpeg2, divisor: 4 }, null, mpeg2, mpeg1];

/** The header of an MPEG layer III frame. */
export interface Mp3Frame {
  /** Bytes, including the header. */
  readonly length: number;
  readonly samples: number;
  readonly sampleRate: number;
  /** Bytes between the header and the audio. */
  readonly sideInfo: number;
}

export const frameHeaderLength = 4;

/** Reads four bytes as the header of a layer III frame (ISO 11172-3 2.4.1.3, ISO 13818-3 2.4.1.3); `null` if they are not one. */
export const readMp3Frame = (bytes: Buffer): Mp3Frame | null => {
  if (bytes.length < frameHeaderLength || bytes[0] !== 0xff) return null;
  const [, kind = 0, rates = 0, mode = 0] = bytes;
  const hasSync = kind >= 0xe0;
  const isLayer3 = ((kind >> 1) & 3) === 1;
  const isReserved = (mode & 3) === 2;
  const version = versions[(kind >> 3) & 3];
  const bitRate = version?.bitRates[rates >> 4] ?? 0;
  const fullRate = sampleRates[(rates >> 2) & 3];
  if (!hasSync || !isLayer3 || isReserved || !version || !fullRate || bitRate === 0) return null;
  const { divisor, samples, sideInfo } = version;
  const sampleRate = fullRate / divisor;
  const padding = (rates >> 1) & 1;
  return {
    length: Math.floor((samples * 125 * bitRate) / sampleRate) + padding,
    samples,
    sampleRate,
    sideInfo: mode >> 6 === 3 ? sideInfo.mono : sideInfo.stereo,
  };
};

/** How much of a frame is searched for the tags that encoders put into the first one. */
export const tagWindow = 54;

/**
 * The number of frames that a first frame declares instead of containing audio: Xing's and
 * LAME's tag behind the side information, or Fraunhofer's VBRI, always at byte 36. 0 where the tag
 * has none; `null` for a frame of audio.
 */
export const declaredFrames = (frame: Buffer, sideInfo: number): number | null => {
  const at = (place: number): string => frame.toString('latin1', place, place + 4);
  if (at(36) === 'VBRI') return frame.length < 54 ? 0 : frame.readUInt32BE(50);
  // With a checksum, some encoders write the tag two bytes later.
  for (const place of [frameHeaderLength + sideInfo, frameHeaderLength + 2 + sideInfo]) {
    if (at(place) !== 'Xing' && at(place) !== 'Info') continue;
    const hasFrameCount = frame.length >= place + 12 && (frame.readUInt32BE(place + 4) & 1) === 1;
    return hasFrameCount ? frame.readUInt32BE(place + 8) : 0;
  }
  return null;
};
