import type { Hash } from 'node:crypto';
import { utf16Of } from '../model/text-encoding.ts';
import type { FindMedia } from '../model/workload/media.ts';
import type { DatasetFacts, ReadResult } from '../model/workload/workload.ts';
import { type DatasetEntry, datasetParsers } from './dataset-formats.ts';

/** The prompts of a file, in the order of the file. */
export interface Dataset {
  readonly facts: DatasetFacts;
  readonly entries: readonly DatasetEntry[];
}

/** Returns the text of a file in UTF-8. For another encoding, returns the problem. */
const decoded = (bytes: Buffer): ReadResult<string> => {
  if (utf16Of(bytes) !== null)
    return { ok: false, problem: 'it is encoded in UTF-16: save it as UTF-8' };
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    const mark = bytes.toString('hex', 0, 2);
    if (mark === '1f8b') return { ok: false, problem: 'it is compressed with gzip: unpack it' };
    return { ok: false, problem: 'some of its bytes are not UTF-8: save it as UTF-8' };
  }
};

/**
 * Reads a file of prompts. The extension of the file decides the format: JSON lines, a CSV table, or the JSON of
 * ShareGPT. `media` reads the images and recordings that messages name. The text of a problem never quotes a prompt.
 */
export const readDataset = (
  file: string,
  parts: Iterable<Uint8Array>,
  media: FindMedia,
  newSha256: () => Hash,
): ReadResult<Dataset> => {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const parse = datasetParsers.get(extension);
  if (parse === undefined) {
    const known = Array.from(datasetParsers.keys(), (name) => `.${name}`).join(', ');
    return { ok: false, problem: `${file}: expected a file of prompts that ends in ${known}` };
  }
  const bytes = Buffer.concat([...parts]);
  const text = decoded(bytes);
  if (!text.ok) return { ok: false, problem: `${file}: expected a text in UTF-8; ${text.problem}` };
  const parsed = parse(text.value, media);
  if (typeof parsed === 'string') return { ok: false, problem: `${file}:${parsed}` };
  const { entries, dropped } = parsed;
  if (entries.length === 0) {
    return { ok: false, problem: `${file}: expected at least one prompt, found none` };
  }
  const { rows, turns, fields } = dropped;
  const isWhole = rows + turns + Object.keys(fields).length === 0;
  const sha256 = newSha256().update(bytes).digest('hex');
  const facts = { sha256, prompts: entries.length };
  return { ok: true, value: { facts: isWhole ? facts : { ...facts, dropped }, entries } };
};
