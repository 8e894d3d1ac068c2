import { resolve } from 'node:path';
import { charactersIn } from '../../model/workload/characters.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { TraceSelection, TraceLoad } from '../../model/workload/trace.ts';
import type { TokenizerFacts } from '../../model/workload/tokenizer.ts';
import type { ReadResult, Workload, WorkloadFiles } from '../../model/workload/workload.ts';
import {
  filePartsOf,
  readPromptWords,
  readTextWithHash,
  unreadableReason,
} from '../../platform/files/file-contents.ts';
import { openTokenizer } from '../../platform/files/tokenizers.ts';
import {
  selectSingleTokenWords,
  type SingleTokenWords,
} from '../../workload/single-token-words.ts';
import { createWorkload } from '../../workload/create-workload.ts';
import { type Dataset, readDataset } from '../../workload/read-dataset.ts';
import { type LoadedTrace, readTrace } from '../../workload/read-trace.ts';

/** The files of prompts and traces that a scenario names. Each file is read once and kept for the run. */
export interface WorkloadFileCache {
  readonly files: WorkloadFiles;
  /** The workload of a plan that was made with these files. */
  open(plan: Plan): Workload;
  /** The workload of a plan that another thread made from these files; reads all of them now. Throws if one has changed since. */
  reopen(plan: Plan): Workload;
}

/** Reads once for each key; returns a problem as text if the file cannot be read. */
const cachedRead = <T>(): ((
  key: string,
  file: string,
  read: () => ReadResult<T>,
) => ReadResult<T>) => {
  const cache = new Map<string, ReadResult<T>>();
  const attempt = (file: string, read: () => ReadResult<T>): ReadResult<T> => {
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
    const found = cache.get(key) ?? attempt(file, read);
    cache.set(key, found);
    return found;
  };
};

/** The words that are one token each by a tokenizer, and the plan's description of it. */
interface FittedTokenizer {
  readonly facts: TokenizerFacts;
  readonly fitted: SingleTokenWords;
}

/** Longer texts are refused, since the plan lists every piece. */
const maxTextCharacters = 1_000_000;

const readSpokenText = (file: string, path: string): ReadResult<string> => {
  const text = readTextWithHash(path).text.trim();
  const grouped = (n: number): string => n.toLocaleString('en-US');
  if (text.includes('\uFFFD') || text.includes('\0')) {
    return { ok: false, problem: `${file}: expected plain text in UTF-8` };
  }
  if (text === '') return { ok: false, problem: `${file}: expected text; there is none` };
  const characters = charactersIn(text);
  if (characters <= maxTextCharacters) return { ok: true, value: text };
  const problem = `${file}: expected at most ${grouped(maxTextCharacters)} characters of text; it has ${grouped(characters)}`;
  return { ok: false, problem };
};

const fittedFor = (name: string, path: string): ReadResult<FittedTokenizer> => {
  const tokenizer = openTokenizer(name, path);
  if (typeof tokenizer === 'string') return { ok: false, problem: tokenizer };
  const found = selectSingleTokenWords(readPromptWords(), name, tokenizer);
  if (!found.ok) return found;
  const words = found.value.words.split('\n').length;
  const facts = { name, sha256: tokenizer.sha256, words };
  return { ok: true, value: { facts, fitted: found.value } };
};

/** The current hash of a file. */
interface HashesNow {
  readonly trace: (load: TraceLoad) => string;
  readonly dataset: (file: string) => string;
  readonly tokenizer: (name: string) => string | null;
}

const assertUnchanged = (file: string, then: string | null, now: string | null): void => {
  if (then !== now) throw new Error(`${file} changed while the run was being prepared`);
};

/** Throws if a file is not the one that the plan describes. */
const checkUnchanged = ({ stages }: Plan, now: HashesNow): void => {
  for (const { load, traffic } of stages) {
    if (load.kind === 'trace') assertUnchanged(load.file, load.facts.sha256, now.trace(load));
    for (const entry of traffic) {
      const source = 'conversations' in entry ? entry.conversations : null;
      if (source === null || Array.isArray(source)) continue;
      if (source.kind === 'dataset')
        assertUnchanged(source.file, source.sha256, now.dataset(source.file));
      if (source.kind !== 'synthetic' || source.tokenizer === undefined) continue;
      const { name, sha256 } = source.tokenizer;
      assertUnchanged(name, sha256, now.tokenizer(name));
    }
  }
};

const unwrapFound = <T>(found: ReadResult<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a plan was made although ${found.problem}`);
};

/** Paths are relative to `folder`. */
export const workloadFiles = (folder: string): WorkloadFileCache => {
  const texts = cachedRead<string>();
  const datasets = cachedRead<Dataset>();
  const traces = cachedRead<LoadedTrace>();
  const tokenizers = cachedRead<FittedTokenizer>();
  const tokenizerOf = (name: string): ReadResult<FittedTokenizer> =>
    tokenizers(name, name, () => fittedFor(name, resolve(folder, name)));
  const datasetOf = (file: string): ReadResult<Dataset> =>
    datasets(file, file, () => readDataset(file, filePartsOf(resolve(folder, file))));
  const traceOf = ({
    file,
    speed,
    from,
    until,
    maxInputTokens,
    maxOutputTokens,
  }: TraceSelection) => {
    const cut = { file, speed, from, until, maxInputTokens, maxOutputTokens };
    const key = JSON.stringify(cut);
    return traces(key, file, () => readTrace(cut, filePartsOf(resolve(folder, file))));
  };
  const open = (plan: Plan): Workload =>
    createWorkload(plan, {
      wordsFor: (tokenizer) =>
        tokenizer === undefined
          ? { words: readPromptWords(), keepsLeadingSpace: true }
          : unwrapFound(tokenizerOf(tokenizer.name)).fitted,
      datasetOf: ({ file }) => unwrapFound(datasetOf(file)),
      traceOf: (load) => unwrapFound(traceOf(load)).trace,
    });
  return {
    files: {
      text: (file) => texts(file, file, () => readSpokenText(file, resolve(folder, file))),
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
        trace: (load) => unwrapFound(traceOf(load)).facts.sha256,
        dataset: (file) => unwrapFound(datasetOf(file)).facts.sha256,
        tokenizer: (name) => unwrapFound(tokenizerOf(name)).facts.sha256,
      });
      return open(plan);
    },
  };
};
