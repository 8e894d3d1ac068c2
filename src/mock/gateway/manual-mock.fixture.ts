import { onTestFinished } from 'vitest';
import { streamEnd } from '../../contract/chat.ts';
import { routes } from '../../contract/routes.ts';
import { type ManualMockClock, manualMockClock } from '../clock/manual-mock-clock.fixture.ts';
import type { SettingsInput } from '../settings/settings.ts';
import { type Mock, startMock } from './start.ts';

/** A mock on real sockets whose time stands still, and a client for it. */
interface ManualMock {
  readonly clock: ManualMockClock;
  readonly mock: Mock;
  /** GET below the base address, signed with the first test key unless headers say otherwise. */
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  /** POST /chat/completions with a JSON value, or with text or bytes unchanged. */
  readonly chat: (body: unknown, init?: RequestInit) => Promise<Response>;
  /** Does the same as `chat`, and moves the time until the answer comes. */
  readonly chatAfterMinute: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
  /** Sends a streamed chat. Its client reads what there is after this time in ms, and hangs up. */
  readonly hangUpAfter: (time: number, body: object) => Promise<void>;
  /** POST /audio/speech, in the same way as `chat`. */
  readonly speak: (body: unknown, init?: RequestInit) => Promise<Response>;
  /** POST /audio/transcriptions with a form or any other body. */
  readonly upload: (body: Body, init?: RequestInit) => Promise<Response>;
  /** Moves the time on by a minute, once this request waits for it or is answered. */
  readonly afterMinute: (response: Promise<Response>) => Promise<Response>;
  readonly counters: () => Promise<Record<string, number>>;
  /** Resolves when the counters have these values. Sockets take a moment to report a client that hung up. */
  readonly waitForCounters: (expected: Record<string, number>) => Promise<void>;
}

type Body = NonNullable<RequestInit['body']>;

/** 2026-03-01T12:00:00Z. */
const startTime = Date.UTC(2026, 2, 1, 12);

export const testKeyHeaders = { authorization: 'Bearer sk-weir-test' };
export const helloChat = {
  model: 'weir/small',
  messages: [{ role: 'user', content: 'hello there' }],
};

/** Starts a mock for the running test. It closes when the test ends. */
export const startManualMock = async (settings: SettingsInput = {}): Promise<ManualMock> => {
  const clock = manualMockClock(startTime);
  const mock = await startMock({ ttft: 100, gap: 20, ...settings }, clock);
  onTestFinished(() => mock.close());

  const counters = async (): Promise<Record<string, number>> =>
    (await (await fetch(`${mock.controlUrl}/counters`)).json()) as Record<string, number>;
  const post = (path: string, body: Body, init: RequestInit): Promise<Response> =>
    fetch(mock.url + path, { method: 'POST', body, headers: testKeyHeaders, ...init });
  const text = (body: unknown): Body =>
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const chat = (body: unknown, init: RequestInit = {}): Promise<Response> =>
    post(routes.chat.path, text(body), init);
  const afterMinute = async (response: Promise<Response>): Promise<Response> => {
    const waiting = clock.waiting;
    await Promise.race([response, clock.whenWaiting(waiting + 1)]);
    clock.advance(60_000);
    return response;
  };
  return {
    clock,
    mock,
    counters,
    chat,
    get: (path, headers = testKeyHeaders) => fetch(mock.url + path, { headers }),
    hangUpAfter: async (time, body) => {
      const hangUp = new AbortController();
      const answer = chat({ ...body, stream: true }, { signal: hangUp.signal });
      await clock.whenWaiting();
      clock.advance(time);
      await (await answer).body?.getReader().read();
      hangUp.abort();
    },
    chatAfterMinute: (body, headers = testKeyHeaders) => afterMinute(chat(body, { headers })),
    speak: (body, init = {}) => post(routes.speech.path, text(body), init),
    upload: (body, init = {}) => post(routes.transcription.path, body, init),
    afterMinute,
    waitForCounters: async (expected) => {
      const reached = (now: Record<string, number>): boolean =>
        Object.entries(expected).every(([name, value]) => now[name] === value);
      while (!reached(await counters()));
    },
  };
};

/** Returns the events of a complete stream: each payload parsed, and `[DONE]` unchanged. */
export const parseEvents = (text: string): readonly unknown[] =>
  text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const payload = event.slice('data: '.length);
      return payload === streamEnd ? payload : (JSON.parse(payload) as unknown);
    });
