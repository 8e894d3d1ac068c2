import type { DatasetFacts, ReadResult } from '../model/workload/workload.ts';
import { hashParts } from './hash-parts.ts';
import { type DatasetEntry, datasetParsers } from './dataset-formats.ts';

/** The prompts of a file, in its order. */
export interface Dataset {
  readonly facts: DatasetFacts;
  readonly entries: readonly DatasetEntry[];
}

const textOf = (parts: Iterable<Uint8Array>): string => {
  const decoder = new TextDecoder();
  let text = '';
  for (const part of parts) text += decoder.decode(part, { stream: true });
  return text + decoder.decode();
};

/** Reads a file of prompts: JSON lines, a CSV table or ShareGPT's JSON, by its extension. Problems quote no prompt. */
export const readDataset = (file: string, parts: Iterable<Uint8Array>): ReadResult<Dataset> => {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const parse = datasetParsers.get(extension);
  if (parse === undefined) {
    const problem = `${file}: expected a file of prompts that ends in ${[...datasetParsers.keys()].map((known) => `.${known}`).join(', ')}`;
    return { ok: false, problem };
  }
  const bytes = hashParts(parts);
  const entries = parse(textOf(bytes.parts));
  if (typeof entries === 'string') return { ok: false, problem: `${file}:${entries}` };
  if (entries.length === 0) {
    return { ok: false, problem: `${file}: expected at least one prompt, found none` };
  }
  return {
    ok: true,
    value: { facts: { sha256: bytes.digest(), prompts: entries.length }, entries },
  };
};
