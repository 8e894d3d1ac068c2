import { StringDecoder } from 'node:string_decoder';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
import { undici } from '../undici.ts';
import { connectorTo, type TargetEndpoint } from '../connection/connector.ts';
import { targetAddress } from '../connection/request-path.ts';

/** The wanted lines of an answer with metrics, or why there are none. */
export type Scrape =
  | { readonly ok: true; readonly lines: readonly string[] }
  | { readonly ok: false; readonly reason: string };

interface ScrapeOptions {
  readonly userAgent: string;
  readonly isWanted: (line: string) => boolean;
  /** The timeout of one request for the metrics, in ms. */
  readonly timeout: number;
}

export interface MetricsScraper {
  readonly scrape: () => Promise<Scrape>;
  readonly close: () => Promise<void>;
}

/** The maximum size of an answer, in bytes. The answers of the largest servers have some hundred kilobytes. */
const maxBytes = 4 * 1024 * 1024;
const tooMuch = `more than ${maxBytes} bytes`;
const maxLineLength = 16 * 1024;
/**
 * The maximum number of lines that are kept. Reading more lines would take milliseconds of the load generator's time.
 */
const maxLines = 2000;

/** Keeps the wanted lines of a text that comes in pieces, and drops all other lines. */
class WantedLines {
  readonly #isWanted: (line: string) => boolean;
  readonly #decoder = new StringDecoder('utf8');
  readonly #lines: string[] = [];
  #rest = '';
  #bytes = 0;
  /**
   * The reason why no lines are kept; `null` if lines are kept. No lines are kept of a text that is too large, since
   * sums over a part of the text would be wrong.
   */
  #excess: string | null = null;

  constructor(isWanted: (line: string) => boolean) {
    this.#isWanted = isWanted;
  }

  /** Adds a piece of the text. Returns the reason if the text is now too large; otherwise `null`. */
  add(piece: Buffer): string | null {
    this.#bytes += piece.length;
    if (this.#bytes > maxBytes) return tooMuch;
    const pieces = (this.#rest + this.#decoder.write(piece)).split('\n');
    this.#rest = (pieces.pop() ?? '').slice(0, maxLineLength + 1);
    for (const line of pieces) this.#keep(line.endsWith('\r') ? line.slice(0, -1) : line);
    return this.#excess;
  }

  end(): Scrape {
    this.#keep(this.#rest);
    return this.#excess === null
      ? { ok: true, lines: this.#lines }
      : { ok: false, reason: this.#excess };
  }

  #keep(line: string): void {
    if (!this.#isWanted(line)) return;
    if (line.length > maxLineLength)
      this.#excess = `a line of more than ${maxLineLength} characters`;
    else if (this.#lines.length === maxLines) this.#excess = `more than ${maxLines} series`;
    else this.#lines.push(line);
  }
}

const otherPath = 'try another path, such as /prometheus/metrics';
/** Matches content types of answers that are not Prometheus text. TensorRT-LLM has JSON at `/metrics`. */
const otherType = /\b(html|json)\b/i;

type Unpack = (packed: Buffer, bounds: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** The decoders of compressed answers. Weir asks for no compression, but some proxies compress every answer. */
const decoders: ReadonlyMap<string, Unpack> = new Map<string, Unpack>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** Reads a compressed body to its end, and yields its text as one piece. */
const unpacked = async function* (body: AsyncIterable<Buffer>, unpack: Unpack) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new RangeError(tooMuch);
    pieces.push(piece);
  }
  yield await unpack(Buffer.concat(pieces), { maxOutputLength: maxBytes }).catch(
    (error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      throw new RangeError(
        code === 'ERR_BUFFER_TOO_LARGE' ? tooMuch : 'its compression is damaged',
      );
    },
  );
};

/**
 * Returns why an answer whose status is not 200 has no metrics, and what to do if Weir knows it. For example, LiteLLM
 * redirects `/metrics` to `/metrics/`.
 */
const statusReason = (status: number, location: unknown, url: string): string => {
  if (status === 401 || status === 403)
    return `answered ${status}: Weir sends no key there, so it must be readable without one`;
  const base = targetAddress(url).url;
  const wanted = typeof location === 'string' ? URL.parse(location, base.href) : null;
  return status >= 300 && status < 400 && wanted?.origin === base.origin
    ? `answered ${status}: write its address as it redirects it, with the path ${wanted.pathname.slice(0, 200)}`
    : `answered ${status}`;
};

/**
 * Opens a scraper of the metrics at an address. The scraper never sends a key, header or cookie of the run, and never
 * follows a redirect. The scraper reads at most four megabytes and 2,000 wanted lines per answer. `scrape` never
 * throws, but returns the reason for a failure.
 */
export const openScraper = (
  endpoint: TargetEndpoint,
  { userAgent, isWanted, timeout }: ScrapeOptions,
): MetricsScraper => {
  const { origin, pathname, search } = targetAddress(endpoint.url).url;
  const client = new (undici().Client)(origin, { connect: connectorTo(endpoint) });
  const read = async (): Promise<Scrape> => {
    const { statusCode, headers, body } = await client.request({
      method: 'GET',
      path: `${pathname}${search}`,
      headers: { accept: 'text/plain;version=0.0.4', 'user-agent': userAgent },
      signal: AbortSignal.timeout(timeout),
    });
    if (statusCode !== 200) {
      await body.dump();
      return { ok: false, reason: statusReason(statusCode, headers['location'], endpoint.url) };
    }
    const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
    const unpack = decoders.get(encoding);
    if (unpack === undefined && encoding !== 'identity') {
      await body.dump();
      return {
        ok: false,
        reason: `compressed as ${encoding.slice(0, 40)}, which Weir cannot read`,
      };
    }
    const wanted = new WantedLines(isWanted);
    for await (const piece of unpack === undefined ? body : unpacked(body, unpack)) {
      const excess = wanted.add(piece as Buffer);
      if (excess !== null) return { ok: false, reason: excess };
    }
    const scrape = wanted.end();
    const [, other] = otherType.exec(String(headers['content-type'] ?? '')) ?? [];
    return other !== undefined && scrape.ok && scrape.lines.length === 0
      ? { ok: false, reason: `answered ${other.toUpperCase()} without metrics: ${otherPath}` }
      : scrape;
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
