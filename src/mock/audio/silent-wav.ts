/** 24 kHz, one channel, 16 bits: what text-to-speech models give. */
const sampleRate = 24_000;
const bytesPerSample = 2;
const headerBytes = 44;

const header = (bytes: number): Buffer => {
  const head = Buffer.alloc(headerBytes);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(headerBytes - 8 + bytes, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); // PCM
  head.writeUInt16LE(1, 22); // channels
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(sampleRate * bytesPerSample, 28);
  head.writeUInt16LE(bytesPerSample, 32);
  head.writeUInt16LE(8 * bytesPerSample, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(bytes, 40);
  return head;
};

const second = Buffer.alloc(sampleRate * bytesPerSample);

/** A WAV file of silence, exact to a sample: the header, then a second of samples at a time. */
export function* silentWav(seconds: number): Generator<Uint8Array, void> {
  let left = Math.round(seconds * sampleRate) * bytesPerSample;
  yield header(left);
  for (; left > 0; left -= second.length) yield second.subarray(0, left);
}
