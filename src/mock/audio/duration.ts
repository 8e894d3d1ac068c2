import { webmDuration } from './webm-duration.ts';

/**
 * How long a file of audio plays, in seconds, by its container and never by its name or label;
 * `null` where nothing is recognised or nothing is in it.
 */
export const durationOf = async (file: Uint8Array): Promise<number | null> => {
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(file, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? duration : webmDuration(file);
  } catch {
    return null;
  }
};
