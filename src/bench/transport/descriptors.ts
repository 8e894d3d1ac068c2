import { readFile } from 'node:fs/promises';
import type { Say } from '../harness/bench.ts';

/** Besides the sockets: the program's own files. */
const ownFiles = 500;

/** How many files a process may have open; Node itself raises the soft limit to the hard one. */
const maxDescriptors = async (): Promise<number> => {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const [, hard = ''] = /Max open files\s+\S+\s+(\S+)/.exec(limits) ?? [];
  return hard === 'unlimited' ? Number.POSITIVE_INFINITY : Number(hard);
};

/** Whether a process may not open so many streams; then it says what to do. */
export const lacksDescriptors = async (
  streams: number,
  name: string,
  say: Say,
): Promise<boolean> => {
  const most = await maxDescriptors();
  const needed = streams + ownFiles;
  if (most >= needed) return false;
  say(
    `${name}: not measured: a process needs ${needed} open files and may have ${most}; raise the limit with \`ulimit -n ${needed}\` (as root) or the container's \`--ulimit nofile\``,
  );
  return true;
};
