import { readFile } from 'node:fs/promises';
import type { LimitLog } from '../../model/limits/limit-log.ts';

/** One request in a server's own log; `id` is `-` if it had none. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly id: string;
}

/** The requests of a log with a line `METHOD PATH STATUS REQUEST-ID` for each; other lines are ignored. */
export const readServerLog = async (file: string): Promise<readonly LoggedRequest[]> => {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line) => {
    const found = /^([A-Z]+) (\S+) (\d+) (\S+)$/.exec(line.trim());
    if (found === null) return [];
    const [, method = '', path = '', status = '', id = ''] = found;
    return [{ method, path, status: Number(status), id }];
  });
};

export interface ComparedCounts {
  /** Requests that Weir sent, and that the server logged with Weir's ids. */
  readonly sent: number;
  readonly logged: number;
  /** What Weir and the server saw differently, one sentence each. */
  readonly differences: readonly string[];
}

/** Compares an examination with the log of its server, request by request. What Weir abandoned can have any status, or none. */
export const compareWithLog = (
  { replies, unanswered }: LimitLog,
  requests: readonly LoggedRequest[],
): ComparedCounts => {
  const own = new Map(replies.map((reply) => [reply.requestId, reply]));
  const logged = new Map<string, LoggedRequest>();
  const differences: string[] = [];
  const prefix = replies[0]?.requestId.replace(/-\d+$/, '-') ?? 'limits-';
  for (const request of requests.filter(({ id }) => id.startsWith(prefix))) {
    if (logged.has(request.id)) differences.push(`${request.id} was logged twice`);
    logged.set(request.id, request);
  }
  for (const { requestId, status, request } of own.values()) {
    const entry = logged.get(requestId);
    const isAbandoned = request.startsWith('abandoned');
    if (entry === undefined) {
      if (!isAbandoned) differences.push(`${requestId}: ${status}, not in the log`);
    } else if (!isAbandoned && entry.status !== status) {
      differences.push(`${requestId}: ${status}, logged as ${entry.status}`);
    }
  }
  const others = [...logged.keys()].filter((id) => !own.has(id)).length;
  if (others > unanswered.length)
    differences.push(`${others} logged without an answer, ${unanswered.length} were unanswered`);
  return { sent: own.size + unanswered.length, logged: logged.size, differences };
};
