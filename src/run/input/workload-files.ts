import { resolve } from 'node:path';
import { charactersIn } from '../../model/workload/characters.ts';
import type { Plan } from '../../model/plan/plan.ts';
import type { TraceSelection } from '../../model/workload/trace.ts';
import type { TokenizerFacts } from '../../model/workload/tokenizer.ts';
import type { ReadResult, Workload, WorkloadFiles } from '../../model/workload/workload.ts';
import {
  filePartsOf,
  readPromptWords,
  readTextWithHash,
  unreadableReason,
  newSha256,
} from '../../platform/files/file-contents.ts';
import { fileBounds } from '../../platform/files/whole-file.ts';
import { readMediaFile } from '../../platform/files/media.ts';
import { outsideOf } from '../../platform/files/outside.ts';
import { openTokenizer } from '../../platform/files/tokenizers.ts';
import {
  selectSingleTokenWords,
  unpackWords,
  type SingleTokenWords,
} from '../../workload/single-token-words.ts';
import { createWorkload } from '../../workload/create-workload.ts';
import { readDataset } from '../../workload/read-dataset.ts';
import { readTrace } from '../../workload/read-trace.ts';

/** The files of prompts and traces that a scenario names. Each file is read once and stays in memory during the run. */
export interface WorkloadFileCache {
  readonly files: WorkloadFiles;
  /** Opens the workload of a plan that was read with the files of this cache. */
  open(plan: Plan): Workload;
  /**
   * Opens the workload of a plan that another thread read from the same files. Reads all files. Throws if a file has
   * changed since the other thread read it.
   */
  reopen(plan: Plan): Workload;
  /**
   * Opens the workload of a plan that another machine read. This machine has copies of the plan's files. If a copy is
   * missing or differs, returns a problem that names the file.
   */
  reopenOrExplain(plan: Plan): ReadResult<Workload>;
}

/**
 * Returns a function that reads a file once for each argument: the path of the file, or an object that contains the
 * path. If the file cannot be read, the function returns a problem.
 */
const readOnce = <Key extends string | { readonly file: string }, T>(
  read: (key: Key) => ReadResult<T>,
): ((key: Key) => ReadResult<T>) => {
  const cache = new Map<string, ReadResult<T>>();
  const attempt = (key: Key): ReadResult<T> => {
    try {
      return read(key);
    } catch (error) {
      const reason = unreadableReason(error);
      if (reason === null) throw error;
      const file = typeof key === 'string' ? key : key.file;
      const problem = `${file} cannot be read: ${reason}. Give a path from the scenario’s folder`;
      return { ok: false, problem };
    }
  };
  return (key) => {
    const text = JSON.stringify(key);
    const found = cache.get(text) ?? attempt(key);
    cache.set(text, found);
    return found;
  };
};

/** If the scenario names only a folder, the findings about a token limit are in this file of the folder. */
const findingsName = 'token-limits.json';

/**
 * The maximum length of a text, in characters. A longer text is refused, since the plan contains every piece of a text.
 */
const maxTextCharacters = 1_000_000;

const readSpokenText = (file: string, path: string): ReadResult<string> => {
  const text = readTextWithHash(path, fileBounds.spoken).text.trim();
  const refused = (problem: string) => ({ ok: false as const, problem: `${file}: ${problem}` });
  if (/[\uFFFD\0]/.test(text)) return refused('expected plain text in UTF-8');
  if (text === '') return refused('expected text; there is none');
  const characters = charactersIn(text);
  if (characters <= maxTextCharacters) return { ok: true, value: text };
  const [most, found] = [maxTextCharacters, characters].map((n) => n.toLocaleString('en-US'));
  return refused(`expected at most ${most} characters of text; it has ${found}`);
};

/** Returns the words that are one token each for a tokenizer, and the tokenizer's description for the plan. */
const fittedFor = (
  name: string,
  path: string,
): ReadResult<{ readonly facts: TokenizerFacts; readonly fitted: SingleTokenWords }> => {
  const tokenizer = openTokenizer(name, path);
  if (typeof tokenizer === 'string') return { ok: false, problem: tokenizer };
  const found = selectSingleTokenWords(unpackWords(readPromptWords()), name, tokenizer);
  if (!found.ok) return found;
  const words = found.value.words.split('\n').length;
  const facts = { name, sha256: tokenizer.sha256, words };
  return { ok: true, value: { facts, fitted: found.value } };
};

/**
 * Returns functions that read each kind of file. Paths are relative to `folder`. All files must be in this folder
 * unless the scenario is trusted.
 */
const readersIn = (folder: string, isTrusted: boolean) => {
  const inside = <T>(file: string, read: () => ReadResult<T>): ReadResult<T> => {
    const problem = isTrusted ? null : outsideOf(folder, file);
    return problem === null ? read() : { ok: false, problem };
  };
  const partsOf = (file: string, most?: number) => filePartsOf(resolve(folder, file), most);
  const traces = readOnce((cut: TraceSelection) =>
    inside(cut.file, () => readTrace(cut, partsOf(cut.file), newSha256)),
  );
  const media = readOnce((reference: string) => {
    const file = /^file:(.*)$/s.exec(reference)?.[1];
    const read = () => readMediaFile(reference, folder);
    return file === undefined ? read() : inside(file, read);
  });
  return {
    media,
    text: readOnce((file: string) =>
      inside(file, () => readSpokenText(file, resolve(folder, file))),
    ),
    prices: readOnce((file: string) =>
      inside(file, () => ({ ok: true, value: readTextWithHash(resolve(folder, file)).text })),
    ),
    findings: readOnce((file: string) =>
      inside(file, () => {
        const path = resolve(folder, file, file.endsWith('.json') ? '' : findingsName);
        return { ok: true, value: readTextWithHash(path).text };
      }),
    ),
    dataset: readOnce((file: string) =>
      inside(file, () => readDataset(file, partsOf(file, fileBounds.text), media, newSha256)),
    ),
    tokenizer: readOnce((name: string) =>
      inside(name, () => fittedFor(name, resolve(folder, name))),
    ),
    /**
     * Passes on only the fields that select a part of the trace. The file is then read only once for loads that differ
     * in other fields.
     */
    trace: ({ file, unit, speed, from, until, maxInputTokens, maxOutputTokens }: TraceSelection) =>
      traces({
        file,
        ...(unit === undefined ? {} : { unit }),
        speed,
        from,
        until,
        maxInputTokens,
        maxOutputTokens,
      }),
  };
};

type Readers = ReturnType<typeof readersIn>;

const unwrapFound = <T>(found: ReadResult<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a plan was made although ${found.problem}`);
};

const factsIn = <T>(found: ReadResult<{ readonly facts: T }>): ReadResult<T> =>
  found.ok ? { ok: true, value: found.value.facts } : found;

type FoundFile = ReadResult<{ readonly facts: { readonly sha256: string | null } }>;

interface DescribedFile {
  readonly file: string;
  readonly expected: string | null;
  readonly now: FoundFile;
}

/** Yields each file that a plan describes, with its SHA-256 in the plan and its present content. */
function* describedFiles(
  { stages }: Plan,
  { trace, dataset, tokenizer }: Readers,
): Generator<DescribedFile, void> {
  for (const { load, traffic } of stages) {
    if (load.kind === 'trace')
      yield { file: load.file, expected: load.facts.sha256, now: trace(load) };
    for (const entry of traffic) {
      const source = 'conversations' in entry ? entry.conversations : null;
      if (source === null || Array.isArray(source)) continue;
      if (source.kind === 'dataset')
        yield { file: source.file, expected: source.sha256, now: dataset(source.file) };
      if (source.kind !== 'synthetic' || source.tokenizer === undefined) continue;
      const { name, sha256 } = source.tokenizer;
      yield { file: name, expected: sha256, now: tokenizer(name) };
    }
  }
}

/** Says that a file is missing or differs from the plan's description; `null` if it has not changed. */
const differenceOf = ({ file, expected, now }: DescribedFile): string | null => {
  if (!now.ok) return now.problem;
  return now.value.facts.sha256 === expected
    ? null
    : `${file} is not the file that the plan describes`;
};

/**
 * Creates the cache. Paths are relative to `folder`. All files must be in this folder unless the scenario is trusted.
 */
export const workloadFiles = (folder: string, isTrusted = true): WorkloadFileCache => {
  const readers = readersIn(folder, isTrusted);
  const open = (plan: Plan): Workload =>
    createWorkload(plan, {
      wordsFor: (tokenizer) =>
        tokenizer === undefined
          ? { words: unpackWords(readPromptWords()), keepsLeadingSpace: true }
          : unwrapFound(readers.tokenizer(tokenizer.name)).fitted,
      datasetOf: ({ file }) => unwrapFound(readers.dataset(file)),
      traceOf: (load) => unwrapFound(readers.trace(load)).trace,
    });
  return {
    files: {
      media: readers.media,
      text: readers.text,
      prices: readers.prices,
      findings: readers.findings,
      dataset: (file) => factsIn(readers.dataset(file)),
      tokenizer: (name) => factsIn(readers.tokenizer(name)),
      trace: (cut) => factsIn(readers.trace(cut)),
    },
    open,
    reopen: (plan) => {
      for (const each of describedFiles(plan, readers)) {
        if (unwrapFound(each.now).facts.sha256 !== each.expected)
          throw new Error(`${each.file} changed while the run was being prepared`);
      }
      return open(plan);
    },
    reopenOrExplain: (plan) => {
      for (const each of describedFiles(plan, readers)) {
        const problem = differenceOf(each);
        if (problem !== null) return { ok: false, problem };
      }
      return { ok: true, value: open(plan) };
    },
  };
};
