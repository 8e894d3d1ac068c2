import { StringDecoder } from 'node:string_decoder';
import { Client } from 'undici';
import { connectorTo, type TargetEndpoint } from '../connection/connector.ts';

/** The lines of an answer that are of use, or why there are none. */
export type Scrape =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly reason: string };

interface ScrapeOptions {
  readonly userAgent: string;
  /** Whether a line of the answer is kept. */
  readonly isWanted: (line: string) => boolean;
  /** In ms. */
  readonly timeout: number;
}

/** Reads the metrics of a server again and again, over one connection. */
export interface MetricsScraper {
  readonly scrape: () => Promise<Scrape>;
  readonly close: () => Promise<void>;
}

/** The largest server has some hundreds of kilobytes. */
const maxBytes = 4 * 1024 * 1024;
/** No line of a metric is longer; the kept lines are bounded by the same number of lines. */
const maxLineLength = 16 * 1024;
const maxLines = 2000;

/** Keeps the wanted lines of a text that comes in pieces, without ever holding the whole. */
const collectLines = (isWanted: (line: string) => boolean) => {
  const decoder = new StringDecoder('utf8');
  const lines: string[] = [];
  let rest = '';
  const keep = (line: string): void => {
    if (lines.length < maxLines && line.length <= maxLineLength && isWanted(line)) lines.push(line);
  };
  return {
    add: (piece: Buffer): void => {
      const pieces = (rest + decoder.write(piece)).split('\n');
      rest = (pieces.pop() ?? '').slice(0, maxLineLength + 1);
      for (const line of pieces) keep(line.endsWith('\r') ? line.slice(0, -1) : line);
    },
    end: (): readonly string[] => {
      keep(rest);
      return lines;
    },
  };
};

/**
 * Opens a scraper of the metrics at an address. It sends no key, header or cookie of the run to anybody, follows no
 * redirect, and reads at most four megabytes an answer. Whatever fails is a reason, never thrown.
 */
export const openScraper = (
  endpoint: TargetEndpoint,
  { userAgent, isWanted, timeout }: ScrapeOptions,
): MetricsScraper => {
  const { origin, pathname, search } = new URL(endpoint.url);
  const client = new Client(origin, { connect: connectorTo(endpoint) });
  const read = async (): Promise<Scrape> => {
    const { statusCode, body } = await client.request({
      method: 'GET',
      path: `${pathname}${search}`,
      headers: { accept: 'text/plain;version=0.0.4', 'user-agent': userAgent },
      signal: AbortSignal.timeout(timeout),
    });
    if (statusCode !== 200) {
      await body.dump();
      return { ok: false, reason: `answered ${statusCode}` };
    }
    const collected = collectLines(isWanted);
    let bytes = 0;
    for await (const piece of body) {
      bytes += (piece as Buffer).length;
      if (bytes > maxBytes) return { ok: false, reason: `more than ${maxBytes} bytes` };
      collected.add(piece as Buffer);
    }
    return { ok: true, lines: collected.end() };
  };
  return {
    scrape: () =>
      read().catch((error: unknown) => {
        const { name, code, message } = error as NodeJS.ErrnoException;
        const reason =
          name === 'TimeoutError' ? `no answer within ${timeout} ms` : (code ?? message);
        return { ok: false, reason } as const;
      }),
    close: async () => {
      await client.destroy().catch(() => undefined);
    },
  };
};
