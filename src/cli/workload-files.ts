import { resolve } from 'node:path';
import { charactersIn } from '../model/characters.ts';
import type { Plan } from '../model/plan.ts';
import type { TraceCut, TraceLoad } from '../model/trace.ts';
import type { TokenizerFacts } from '../model/tokenizer.ts';
import type { Found, Workload, WorkloadFiles } from '../model/workload.ts';
import {
  filePartsOf,
  readPromptWords,
  readWhole,
  unreadableReason,
} from '../platform/file-parts.ts';
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
  /** The workload of a plan that another thread made with these files, all of them read now. Throws if one has changed since. */
  reopen(plan: Plan): Workload;
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

/** More is a library; every piece of it would stand in the plan. */
const longestText = 1_000_000;

const spokenText = (file: string, path: string): Found<string> => {
  const text = readWhole(path).text.trim();
  const grouped = (n: number): string => n.toLocaleString('en-US');
  if (text.includes('\uFFFD') || text.includes('\0')) {
    return { ok: false, problem: `${file}: expected plain text in UTF-8` };
  }
  if (text === '') return { ok: false, problem: `${file}: expected text; there is none` };
  const characters = charactersIn(text);
  if (characters <= longestText) return { ok: true, value: text };
  const problem = `${file}: expected at most ${grouped(longestText)} characters of text; it has ${grouped(characters)}`;
  return { ok: false, problem };
};

const fittedFor = (name: string, path: string): Found<Fitted> => {
  const tokenizer = openTokenizer(name, path);
  if (typeof tokenizer === 'string') return { ok: false, problem: tokenizer };
  const found = fitWords(readPromptWords(), name, tokenizer);
  if (!found.ok) return found;
  const words = found.value.words.split('\n').length;
  const facts = { name, sha256: tokenizer.sha256, words };
  return { ok: true, value: { facts, fitted: found.value } };
};

/** The hash that a file has now. */
interface HashesNow {
  readonly trace: (load: TraceLoad) => string;
  readonly dataset: (file: string) => string;
  readonly tokenizer: (name: string) => string | null;
}

const unchanged = (file: string, then: string | null, now: string | null): void => {
  if (then !== now) throw new Error(`${file} was changed while the run was made ready`);
};

/** Throws where a file is not the one that the plan describes. */
const checkUnchanged = ({ stages }: Plan, now: HashesNow): void => {
  for (const { load, traffic } of stages) {
    if (load.kind === 'trace') unchanged(load.file, load.facts.sha256, now.trace(load));
    for (const entry of traffic) {
      const source = 'conversations' in entry ? entry.conversations : null;
      if (source === null || Array.isArray(source)) continue;
      if (source.kind === 'dataset')
        unchanged(source.file, source.sha256, now.dataset(source.file));
      if (source.kind !== 'synthetic' || source.tokenizer === undefined) continue;
      const { name, sha256 } = source.tokenizer;
      unchanged(name, sha256, now.tokenizer(name));
    }
  }
};

const taken = <T>(found: Found<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a plan was made although ${found.problem}`);
};

/** Paths start from `folder`. */
export const workloadFiles = (folder: string): WorkloadShelf => {
  const texts = lookup<string>();
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
  const open = (plan: Plan): Workload =>
    openWorkload(plan, {
      wordsFor: (tokenizer) =>
        tokenizer === undefined
          ? { words: readPromptWords(), opens: true }
          : taken(tokenizerOf(tokenizer.name)).fitted,
      datasetOf: ({ file }) => taken(datasetOf(file)),
      traceOf: (load) => taken(traceOf(load)).trace,
    });
  return {
    files: {
      text: (file) => texts(file, file, () => spokenText(file, resolve(folder, file))),
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
    open,
    reopen: (plan) => {
      checkUnchanged(plan, {
        trace: (load) => taken(traceOf(load)).facts.sha256,
        dataset: (file) => taken(datasetOf(file)).facts.sha256,
        tokenizer: (name) => taken(tokenizerOf(name)).facts.sha256,
      });
      return open(plan);
    },
  };
};
