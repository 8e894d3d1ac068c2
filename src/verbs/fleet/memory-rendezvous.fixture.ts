import { createHash } from 'node:crypto';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { Problem } from '../../platform/problem.ts';
import {
  type CoordinatorRecord,
  keysOf,
  type RendezvousRun,
  type WorkerRecord,
} from './model/records.ts';

/** A rendezvous in the memory of one process. A test can take it away. */
export const memoryRendezvous = () => {
  const records = new Map<string, string>();
  const contents = new Map<string, Uint8Array>();
  let isAway = false;
  const reached = async <T>(work: () => T): Promise<T> => {
    if (isAway) throw new Problem('the rendezvous memory cannot be reached');
    return work();
  };
  const rendezvous: Rendezvous = {
    name: 'memory',
    create: (key, text) =>
      reached(() => {
        if (!records.has(key)) records.set(key, text);
        return records.get(key) === text;
      }),
    put: (key, text) => reached(() => void records.set(key, text)),
    get: (key) => reached(() => records.get(key) ?? null),
    store: (name, content) =>
      reached(() => {
        contents.set(name, content);
        return createHash('sha256').update(content).digest('hex');
      }),
    load: (name) =>
      reached(() => {
        const content = contents.get(name);
        if (content === undefined) throw new Problem(`${name} is missing`);
        return content;
      }),
    answerTime: async () => async () => undefined,
    askTime: async () => null,
    clear: () => reached(() => records.clear()),
    close: async () => undefined,
  };
  return {
    rendezvous,
    records,
    setAway: (away: boolean) => {
      isAway = away;
    },
  };
};

export const sampleRun = (changes: Partial<RendezvousRun> = {}): RendezvousRun => ({
  format: 'rendezvous/1',
  id: 'r',
  weir: '0.1.0',
  runId: 'run',
  name: 'shared',
  planHash: 'hash',
  planDigest: 'digest',
  slices: 2,
  silence: 10_000,
  ...changes,
});

export const workerRecord = (changes: Partial<WorkerRecord> = {}): WorkerRecord => ({
  worker: 'w',
  host: 'h',
  beat: 1,
  phase: 'running',
  message: null,
  clock: null,
  progress: null,
  result: null,
  ...changes,
});

export const coordinatorRecord = (changes: Partial<CoordinatorRecord> = {}): CoordinatorRecord => ({
  beat: 1,
  startAt: null,
  stops: 0,
  lost: [],
  collected: [],
  ...changes,
});

/** Returns the coordinator's last message. */
export const saidIn = (records: ReadonlyMap<string, string>, id = 'r'): CoordinatorRecord | null =>
  JSON.parse(records.get(keysOf(id).coordinator) ?? 'null') as CoordinatorRecord | null;
