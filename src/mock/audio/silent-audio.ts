import type { speechContentTypes } from '../../contract/audio.ts';
import { silentMp3 } from './silent-mp3.ts';
import { silentOpus } from './silent-opus.ts';
import { silentWav } from './silent-wav.ts';

export type MockSpeechFormat = keyof typeof speechContentTypes;

/** So many seconds of silence in each format, in pieces, made as they are asked for. */
export const silentAudio = {
  mp3: silentMp3,
  wav: silentWav,
  opus: silentOpus,
} as const satisfies Record<MockSpeechFormat, (seconds: number) => Iterator<Uint8Array, void>>;
