import { join } from 'node:path';
import type { CaptureMode } from '../input/run-request.ts';
import { requestIdHeader } from '../../contract/routes.ts';
import type { ExchangeObserver, WireRequest } from '../../model/observation/exchange.ts';
import type { Observation } from '../../model/observation/observation.ts';
import { redacted } from '../../model/plan/secret.ts';
import { openLineFile } from '../../platform/files/line-file.ts';
import type { RunObserver } from './observer.ts';

/** The name of the file in the run's folder with one JSON object for each attempt. */
const captureFileName = 'capture.jsonl';

/** The maximum size of each body, in bytes. */
const maxBodyBytes = 32 * 1024;
const maxFileCharacters = 64 * 1024 * 1024;
/**
 * The maximum length of a secret, in characters. A truncated body may end in the middle of a secret, and a part of a
 * secret would not be masked. This many characters are therefore removed from the end of the body.
 */
const maxSecretLength = 4096;

/** The request headers whose values are never secret. The values of all other request headers are masked. */
const unmaskedHeaders = new Set([
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  requestIdHeader,
]);

interface CapturedBody {
  readonly kept: Uint8Array[];
  size: number;
}

interface CapturedAttempt {
  readonly request: WireRequest;
  readonly sentBody: CapturedBody;
  readonly body: CapturedBody;
  head: { readonly status: number; readonly headers: Readonly<Record<string, string>> } | null;
}

const appendBytes = (body: CapturedBody, bytes: Uint8Array): void => {
  const room = maxBodyBytes - Math.min(body.size, maxBodyBytes);
  // The bytes are copied, since they are valid only during the call. A Buffer's method `slice` would not copy them.
  if (room > 0) body.kept.push(Buffer.from(bytes.subarray(0, room)));
  body.size += bytes.length;
};

const isText = (type: string | undefined): boolean =>
  type === undefined || /json|text|xml/.test(type.toLowerCase());

type Redact = (text: string) => string;

const bodyText = ({ kept, size }: CapturedBody, type: string | undefined, redact: Redact) => {
  if (!isText(type)) return { bytes: size, text: null };
  const text = redact(Buffer.concat(kept).toString('utf8'));
  return { bytes: size, text: size > maxBodyBytes ? `${text.slice(0, -maxSecretLength)}…` : text };
};

const masked = (
  headers: Readonly<Record<string, string>>,
  mask: (value: string, name: string) => string,
): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value, name)]));

const lineOf = (observation: Observation, attempt: CapturedAttempt, redact: Redact): string => {
  const { request, sentBody, body, head } = attempt;
  const { requestId, outcome, due } = observation;
  return JSON.stringify({
    requestId,
    due,
    outcome: outcome.kind,
    request: {
      method: request.method,
      path: redact(request.path),
      headers: masked(request.headers, (value, name) =>
        unmaskedHeaders.has(name) ? value : redacted,
      ),
      body: bodyText(sentBody, request.headers['content-type'], redact),
    },
    response: head && {
      status: head.status,
      headers: masked(head.headers, (value, name) =>
        name === 'set-cookie' ? redacted : redact(value),
      ),
      body: bodyText(body, head.headers['content-type'], redact),
    },
  });
};

const capturingObserver = (
  attempt: CapturedAttempt,
  observer: ExchangeObserver,
): ExchangeObserver => ({
  onConnected: (at, connection) => observer.onConnected(at, connection),
  onSent: (at) => observer.onSent(at),
  onReconnect: (at) => observer.onReconnect(at),
  onHeaders: (at, status, headers) => {
    attempt.head = { status, headers };
    observer.onHeaders(at, status, headers);
  },
  onChunk: (at, bytes) => {
    appendBytes(attempt.body, bytes);
    observer.onChunk(at, bytes);
  },
  onEnd: (at) => observer.onEnd(at),
  onFailure: (at, cause, detail) => observer.onFailure(at, cause, detail),
});

/**
 * Writes requests and responses to a file. Secrets are masked, but prompts and answers are not masked. Throws a
 * `Problem` if the file cannot be written.
 */
export const openCapture = async (folder: string, mode: CaptureMode): Promise<RunObserver> => {
  const file = await openLineFile(join(folder, captureFileName), false);
  const pending = new Map<string, CapturedAttempt[]>();
  let redact: Redact = (text) => text;
  let written = 0;
  let isFull = false;
  const writeAttempt = (observation: Observation, attempt: CapturedAttempt): void => {
    if (isFull) return;
    const line = lineOf(observation, attempt, redact);
    written += line.length;
    file.write(line);
    isFull = written > maxFileCharacters;
    if (isFull)
      file.write(JSON.stringify({ full: 'the size limit is reached; the rest is not captured' }));
  };
  return {
    announcements: [
      `${captureFileName} will contain ${mode === 'all' ? 'all' : 'failed'} requests with prompts and answers as they are; only keys and secrets are masked. Keep it private.`,
    ],
    onStart: (slice) => {
      redact = slice.redact;
    },
    wrapTransport: (transport) => ({
      send: (request, observer) => {
        const [sentBody, body] = [
          { kept: [], size: 0 },
          { kept: [], size: 0 },
        ];
        const sent = { ...request, body: null };
        const attempt: CapturedAttempt = { request: sent, sentBody, body, head: null };
        if (request.body !== null) appendBytes(attempt.sentBody, request.body);
        const requestId = request.headers[requestIdHeader] ?? '';
        pending.set(requestId, [...(pending.get(requestId) ?? []), attempt]);
        return transport.send(request, capturingObserver(attempt, observer));
      },
      connectAhead: (count) => transport.connectAhead(count),
      notes: () => transport.notes(),
      close: () => transport.close(),
    }),
    onObservation: (observation) => {
      const attempts = pending.get(observation.requestId) ?? [];
      pending.delete(observation.requestId);
      const { kind } = observation.outcome;
      const isFailed =
        (kind !== 'completed' && kind !== 'cancelled') || observation.earlier.length > 0;
      if (mode === 'failed' && !isFailed) return;
      for (const attempt of attempts) writeAttempt(observation, attempt);
    },
    onPublished: () => file.close(),
    discard: () => file.discard(),
  };
};
