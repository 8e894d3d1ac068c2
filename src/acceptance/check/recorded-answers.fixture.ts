import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { milliseconds } from '../../model/quantity.ts';
import { checkRequests } from '../../verbs/check/suite/check-table.ts';
import { CheckAnswer, type ReceivedAnswer } from '../../verbs/check/reading/check-answer.ts';
import type { CheckRequest, CheckTarget } from '../../verbs/check/reading/check-case.ts';
import { bundledClips } from '../../verbs/check/check-session.ts';

/** What the reference gateway answers to every request of the suite, kept to be changed. */

const atOnce = milliseconds(0);
export const recordingKey = 'sk-weir-test';

const keys: Readonly<Record<CheckRequest['key'], Readonly<Record<string, string>>>> = {
  valid: { authorization: `Bearer ${recordingKey}` },
  unknown: { authorization: 'Bearer sk-weir-no-such-key' },
  missing: {},
};

export interface RecordedAnswers {
  readonly target: CheckTarget;
  readonly requests: readonly CheckRequest[];
  readonly received: ReadonlyMap<string, ReceivedAnswer>;
}

const firstReceived = async (
  url: string,
  { key }: CheckRequest,
  wire: NonNullable<ReturnType<CheckRequest['build']>>,
): Promise<ReceivedAnswer> => {
  const response = await fetch(`${url}${wire.path}`, {
    method: wire.method,
    headers: { ...wire.headers, ...keys[key] },
    body: wire.body,
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: Buffer.from(await response.arrayBuffer()),
    encoding: null,
    failure: null,
    isLeftOpen: false,
    took: 0,
  };
};

/** Starts a reference gateway, and sends every request to it once. */
export const recordAnswers = async (): Promise<RecordedAnswers> => {
  const mock = await startMock(
    {
      ttft: atOnce,
      gap: atOnce,
      speech: { base: atOnce, perCharacter: atOnce },
      transcription: { base: atOnce, perSecond: atOnce },
      limits: { requestsPerMinute: 1000 },
    },
    realClock(),
  );
  const models = { chat: 'weir/small', speech: 'weir-tts', transcription: 'weir/whisper' };
  const target: CheckTarget = {
    ...models,
    voice: 'Emily.wav',
    listed: Object.values(models),
    now: Math.floor(Date.now() / 1000),
    ...(await bundledClips()),
  };
  const root = mock.url.replace(/\/v1$/, '');
  const received = new Map<string, ReceivedAnswer>();
  // The one of 25 MB only takes time.
  const requests = checkRequests.filter(({ id }) => id !== 'transcription-too-large');
  for (const request of requests) {
    const wire = request.build(target);
    if (wire === null) throw new Error(`there is no request ${request.id}`);
    const base = request.base === 'root' ? root : mock.url;
    received.set(request.id, await firstReceived(base, request, wire));
  }
  await mock.close();
  return { target, requests, received };
};

/** An answer to a request, as checks read it. */
export const checkAnswerTo = (
  { id, build }: CheckRequest,
  received: ReceivedAnswer,
  target: CheckTarget,
  redact: (text: string) => string,
): CheckAnswer => new CheckAnswer(id, received, build(target)!, redact);
