import { resolve } from 'node:path';
import type { Plan } from '../model/plan.ts';
import type { TraceCut } from '../model/trace.ts';
import type { TokenizerFacts } from '../model/tokenizer.ts';
import type { Found, Workload, WorkloadFiles } from '../model/workload.ts';
import { filePartsOf, readPromptWords, unreadableReason } from '../platform/file-parts.ts';
import { openTokenizer } from '../platform/tokenizers.ts';
import { fitWords, type FittedWords } from '../workload/fit-words.ts';
import { openWorkload } from '../workload/open-workload.ts';
import { type Dataset, readDataset } from '../workload/read-dataset.ts';
import { type ReadTrace, readTrace } from '../workload/read-trace.ts';

/** The files of prompts and traces that a scenario names; what was looked into once is kept for the run. */
export interface WorkloadShelf {
  readonly files: WorkloadFiles;
  /** The workload of a plan that was made with these files. */
  open(plan: Plan): Workload;
}

/** Reads once for each key; a file that cannot be read is a problem in words. */
const lookup = <T>(): ((key: string, file: string, read: () => Found<T>) => Found<T>) => {
  const known = new Map<string, Found<T>>();
  const attempt = (file: string, read: () => Found<T>): Found<T> => {
    try {
      return read();
    } catch (error) {
      const reason = unreadableReason(error);
      if (reason === null) throw error;
      const problem = `${file} cannot be read: ${reason}. Give a path from the scenario’s folder`;
      return { ok: false, problem };
    }
  };
  return (key, file, read) => {
    const found = known.get(key) ?? attempt(file, read);
    known.set(key, found);
    return found;
  };
};

/** The words that are exact by a tokenizer, and what a plan says of it. */
interface Fitted {
  readonly facts: TokenizerFacts;
  readonly fitted: FittedWords;
}

const fittedFor = (name: string, path: string): Found<Fitted> => {
  const tokenizer = openTokenizer(name, path);
  if (typeof tokenizer === 'string') return { ok: false, problem: tokenizer };
  const found = fitWords(readPromptWords(), name, tokenizer);
  if (!found.ok) return found;
  const words = found.value.words.split('\n').length;
  const facts = { name, sha256: tokenizer.sha256, words };
  return { ok: true, value: { facts, fitted: found.value } };
};

const taken = <T>(found: Found<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a plan was made although ${found.problem}`);
};

/** Paths start from `folder`. */
export const workloadFiles = (folder: string): WorkloadShelf => {
  const datasets = lookup<Dataset>();
  const traces = lookup<ReadTrace>();
  const tokenizers = lookup<Fitted>();
  const tokenizerOf = (name: string): Found<Fitted> =>
    tokenizers(name, name, () => fittedFor(name, resolve(folder, name)));
  const datasetOf = (file: string): Found<Dataset> =>
    datasets(file, file, () => readDataset(file, filePartsOf(resolve(folder, file))));
  const traceOf = ({ file, speed, from, until, maxInputTokens, maxOutputTokens }: TraceCut) => {
    const cut = { file, speed, from, until, maxInputTokens, maxOutputTokens };
    const key = JSON.stringify(cut);
    return traces(key, file, () => readTrace(cut, filePartsOf(resolve(folder, file))));
  };
  return {
    files: {
      dataset: (file) => {
        const found = datasetOf(file);
        return found.ok ? { ok: true, value: found.value.facts } : found;
      },
      tokenizer: (name) => {
        const found = tokenizerOf(name);
        return found.ok ? { ok: true, value: found.value.facts } : found;
      },
      trace: (cut) => {
        const found = traceOf(cut);
        return found.ok ? { ok: true, value: found.value.facts } : found;
      },
    },
    open: (plan) =>
      openWorkload(plan, {
        wordsFor: (tokenizer) =>
          tokenizer === undefined
            ? { words: readPromptWords(), opens: true }
            : taken(tokenizerOf(tokenizer.name)).fitted,
        datasetOf: ({ file }) => taken(datasetOf(file)),
        traceOf: (load) => taken(traceOf(load)).trace,
      }),
  };
};
