/** MPEG-2 layer III, 64 kbit/s, 24 kHz, one channel: 576 samples in 72 × 64,000 / 24,000 bytes. */
const frameBytes = 192;
const frameMilliseconds = 24;
const framesPerPiece = 20;

/** After the header, zeros: side information that says there is nothing to decode. */
const frame = Buffer.alloc(frameBytes);
frame.set([0xff, 0xf3, 0x84, 0xc0]);

const piece = Buffer.concat(Array.from({ length: framesPerPiece }, () => frame));

/** Offset of the tag in a frame of one channel: after 4 bytes of header and 9 of side information. */
const tagOffset = 13;
const frameCountFlag = 1;
const byteCountFlag = 2;

/** The Info frame with which encoders begin a file: it is no sound, and tells players how much there is. */
const infoFrame = (frames: number): Buffer => {
  const info = Buffer.from(frame);
  info.write('Info', tagOffset, 'latin1');
  info.writeUInt32BE(frameCountFlag | byteCountFlag, tagOffset + 4);
  info.writeUInt32BE(frames, tagOffset + 8);
  info.writeUInt32BE((frames + 1) * frameBytes, tagOffset + 12);
  return info;
};

/** An MP3 file of silence, exact to a frame (24 ms): the Info frame, then up to twenty frames at a time. */
export function* silentMp3(seconds: number): Generator<Uint8Array, void> {
  let left = Math.round((seconds * 1000) / frameMilliseconds);
  yield infoFrame(left);
  for (; left > 0; left -= framesPerPiece) yield piece.subarray(0, left * frameBytes);
}
