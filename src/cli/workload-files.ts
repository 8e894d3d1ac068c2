import { resolve } from 'node:path';
import type { Plan } from '../model/plan.ts';
import type { TraceCut } from '../model/trace.ts';
import type { Found, Workload, WorkloadFiles } from '../model/workload.ts';
import { filePartsOf, readPromptWords, unreadableReason } from '../platform/file-parts.ts';
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

/** Whether prompts are made for any of the plan's entries. */
const makesPrompts = ({ stages }: Plan): boolean =>
  stages
    .flatMap(({ traffic }) => traffic)
    .some((entry) => 'conversations' in entry && 'kind' in entry.conversations);

/** A file that a plan describes, by its hash. */
const unchanged = (file: string, { sha256 }: { readonly sha256: string }, now: string): void => {
  if (sha256 !== now) throw new Error(`${file} was changed while the run was made ready`);
};

const taken = <T>(found: Found<T>): T => {
  if (found.ok) return found.value;
  throw new Error(`a plan was made although ${found.problem}`);
};

/** Paths start from `folder`. */
export const workloadFiles = (folder: string): WorkloadShelf => {
  const datasets = lookup<Dataset>();
  const traces = lookup<ReadTrace>();
  const datasetOf = (file: string): Found<Dataset> =>
    datasets(file, file, () => readDataset(file, filePartsOf(resolve(folder, file))));
  const traceOf = ({ file, speed, from, until, maxInputTokens, maxOutputTokens }: TraceCut) => {
    const cut = { file, speed, from, until, maxInputTokens, maxOutputTokens };
    const key = JSON.stringify(cut);
    return traces(key, file, () => readTrace(cut, filePartsOf(resolve(folder, file))));
  };
  const open = (plan: Plan): Workload =>
    openWorkload(plan, {
      words: makesPrompts(plan) ? readPromptWords() : '',
      datasetOf: ({ file }) => taken(datasetOf(file)),
      traceOf: (load) => taken(traceOf(load)).trace,
    });
  return {
    files: {
      dataset: (file) => {
        const found = datasetOf(file);
        return found.ok ? { ok: true, value: found.value.facts } : found;
      },
      trace: (cut) => {
        const found = traceOf(cut);
        return found.ok ? { ok: true, value: found.value.facts } : found;
      },
    },
    open,
    reopen: (plan) => {
      for (const { load, traffic } of plan.stages) {
        if (load.kind === 'trace') {
          unchanged(load.file, load.facts, taken(traceOf(load)).facts.sha256);
        }
        for (const entry of traffic) {
          const source = 'conversations' in entry ? entry.conversations : null;
          if (source === null || Array.isArray(source) || source.kind !== 'dataset') continue;
          unchanged(source.file, source, taken(datasetOf(source.file)).facts.sha256);
        }
      }
      return open(plan);
    },
  };
};
