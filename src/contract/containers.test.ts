import { expect, it } from 'vitest';
import { readMp3Frame } from './containers.ts';

const lengthsOf = (version: number): readonly (number | undefined)[] =>
  Array.from({ length: 16 }, (_, rate) => {
    // Layer III, without a checksum; 44.1 kHz in MPEG 1, 22.05 kHz in MPEG 2; stereo.
    const header = Uint8Array.of(0xff, 0xe3 | (version << 3), rate << 4, 0);
    return readMp3Frame(header)?.length;
  });

it('frames of MP3 are as long as other programs say, for each bit rate', () => {
  // From LAME's and mpg123's tables of frame sizes, without padding.
  const mpeg1 = [104, 130, 156, 182, 208, 261, 313, 365, 417, 522, 626, 731, 835, 1044];
  expect(lengthsOf(3)).toEqual([undefined, ...mpeg1, undefined]);
  const mpeg2 = [26, 52, 78, 104, 130, 156, 182, 208, 261, 313, 365, 417, 470, 522];
  expect(lengthsOf(2)).toEqual([undefined, ...mpeg2, undefined]);
});
