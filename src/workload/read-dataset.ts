import type { DatasetFacts, Found } from '../model/workload.ts';
import { hashed } from './digest.ts';
import { type Entry, parsers } from './dataset-formats.ts';

/** A dataset that was read: its prompts in the order of the file. */
export interface Dataset {
  readonly facts: DatasetFacts;
  readonly entries: readonly Entry[];
}

const textOf = (parts: Iterable<Uint8Array>): string => {
  const decoder = new TextDecoder();
  let text = '';
  for (const part of parts) text += decoder.decode(part, { stream: true });
  return text + decoder.decode();
};

/** Reads a file of prompts: JSON lines, a CSV table or ShareGPT's JSON, by its extension. Complaints quote no prompt. */
export const readDataset = (file: string, parts: Iterable<Uint8Array>): Found<Dataset> => {
  const extension = /\.([a-z]+)$/i.exec(file)?.[1]?.toLowerCase() ?? '';
  const parse = parsers.get(extension);
  if (parse === undefined) {
    const problem = `${file}: expected a file of prompts that ends in ${[...parsers.keys()].map((known) => `.${known}`).join(', ')}`;
    return { ok: false, problem };
  }
  const bytes = hashed(parts);
  const entries = parse(textOf(bytes.parts));
  if (typeof entries === 'string') return { ok: false, problem: `${file}:${entries}` };
  if (entries.length === 0) {
    return { ok: false, problem: `${file}: expected at least one prompt; there is none` };
  }
  return {
    ok: true,
    value: { facts: { sha256: bytes.digest(), prompts: entries.length }, entries },
  };
};
