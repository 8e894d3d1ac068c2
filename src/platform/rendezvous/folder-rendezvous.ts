import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { isFileError, whyUnwritable } from '../files/file-error-reasons.ts';
import { fileErrorCode } from '../files/plain-files.ts';
import { fileBounds, readBytes, readTextFile } from '../files/whole-file.ts';
import { Problem } from '../problem.ts';
import { checkedContent } from './checked-content.ts';

/**
 * This file implements a rendezvous in a folder that all machines share. A record is written to a temporary file, which
 * is then renamed, so no machine reads a half-written record. A new record is made with a hard link, since on every
 * file system, including NFS, only one of several machines can make the same link.
 */

/** The prefix of the files of a rendezvous. Only files with this prefix are ever removed. */
const ownPrefix = 'weir-';
/**
 * The interval between two checks for questions and answers, in ms. The measured offset between two clocks can be wrong
 * by about this time.
 */
const lookInterval = 1;
/** The maximum wait for an answer to a question for the time, in ms. */
const answerTimeout = 2000;

/** Runs an operation. If the file system fails, throws a `Problem`. */
const reaching = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!isFileError(error)) throw error;
    throw new Problem(`the rendezvous ${name} cannot be used: ${whyUnwritable(error)}`);
  }
};

const textIn = async (path: string): Promise<string | null> => {
  try {
    return await readTextFile(path, fileBounds.record);
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
};

const filesIn = (folder: string) => {
  const pathOf = (kind: 'record' | 'content' | 'ask' | 'time' | 'draft', key: string): string =>
    join(folder, `${ownPrefix}${kind}-${key}`);
  /**
   * Writes a complete file under a temporary name, calls `place` with the path of this file, and removes the temporary
   * name.
   */
  const throughDraft = async <T>(
    content: string | Uint8Array,
    place: (draft: string) => Promise<T>,
  ): Promise<T> => {
    const draft = pathOf('draft', randomUUID());
    try {
      await writeFile(draft, content, { flag: 'wx' });
      return await place(draft);
    } finally {
      await rm(draft, { force: true });
    }
  };
  const replace = (path: string, content: string | Uint8Array): Promise<void> =>
    throughDraft(content, (draft) => rename(draft, path));
  /** Creates a file; returns `false` if the file already exists. */
  const createNew = (path: string, content: string): Promise<boolean> =>
    throughDraft(content, async (draft) => {
      try {
        await link(draft, path);
        return true;
      } catch (error) {
        if (fileErrorCode(error) === 'EEXIST') return false;
        throw error;
      }
    });
  return { pathOf, replace, createNew };
};

type Files = ReturnType<typeof filesIn>;

/** Answers machines that ask for the time through a folder, until the returned function is called. */
const answerQuestions = (
  folder: string,
  { pathOf, replace }: Files,
  now: () => number,
): (() => Promise<void>) => {
  const stop = new AbortController();
  const prefix = `${ownPrefix}ask-`;
  const lookOnce = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.startsWith(prefix))) {
      const id = name.slice(prefix.length);
      // If the answer cannot be written, the machine that asked gets no answer within `answerTimeout`, and asks again.
      await replace(pathOf('time', id), String(now())).catch(() => undefined);
      await rm(join(folder, name), { force: true }).catch(() => undefined);
    }
  };
  const looking = (async () => {
    while (!stop.signal.aborted) {
      await lookOnce();
      await wait(lookInterval);
    }
  })();
  return async () => {
    stop.abort();
    await looking;
  };
};

const ask = async ({ pathOf, replace }: Files): Promise<number | null> => {
  const id = randomUUID();
  const [question, answer] = [pathOf('ask', id), pathOf('time', id)];
  await replace(question, '');
  const until = performance.now() + answerTimeout;
  try {
    while (performance.now() < until) {
      const text = await textIn(answer);
      if (text !== null) return Number(text);
      await wait(lookInterval);
    }
    return null;
  } finally {
    await rm(question, { force: true });
    await rm(answer, { force: true });
  }
};

/**
 * Opens the rendezvous in a folder. Creates a missing folder. Throws a `Problem` if the folder cannot be created or
 * used.
 */
export const openFolderRendezvous = async (folder: string): Promise<Rendezvous> => {
  const name = `file://${folder}`;
  const files = filesIn(folder);
  const { pathOf, replace, createNew } = files;
  await reaching(name, () => mkdir(folder, { recursive: true }));
  const stops = new Set<() => Promise<void>>();
  return {
    name,
    create: (key, text) =>
      reaching(name, async () => {
        const path = pathOf('record', key);
        return (await createNew(path, text)) || (await textIn(path)) === text;
      }),
    put: (key, text) => reaching(name, () => replace(pathOf('record', key), text)),
    get: (key) => reaching(name, () => textIn(pathOf('record', key))),
    store: (key, content) =>
      reaching(name, async () => {
        await replace(pathOf('content', key), content);
        return createHash('sha256').update(content).digest('hex');
      }),
    load: (key, digest) =>
      reaching(name, async () => {
        const content = await readBytes(pathOf('content', key)).catch((error: unknown) => {
          if (fileErrorCode(error) === 'ENOENT') return null;
          throw error;
        });
        return checkedContent(name, key, content, digest);
      }),
    answerTime: (now) => {
      const stop = answerQuestions(folder, files, now);
      stops.add(stop);
      return Promise.resolve(async () => {
        stops.delete(stop);
        await stop();
      });
    },
    askTime: () => reaching(name, () => ask(files)),
    clear: () =>
      reaching(name, async () => {
        const names = await readdir(folder);
        const own = names.filter((each) => each.startsWith(ownPrefix));
        await Promise.all(own.map((each) => rm(join(folder, each), { force: true })));
      }),
    close: async () => {
      await Promise.all([...stops].map((stop) => stop()));
    },
  };
};
