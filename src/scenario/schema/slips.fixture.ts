/** A scenario of many parts without errors. The slips below are typical errors in it. */
export const validScenario = `name: evening
traffic:
  - kind: chat-stream
    name: short
    weight: 9
    model: publisher/model
    prompt: Explain in two sentences what a weir is.
    maxTokens: 100
  - kind: speech
    model: tts
    text: Hello.
  - kind: transcription
    model: whisper
  - kind: models
    weight: 1
stages:
  - name: climb
    load: { kind: ramping, from: 0.2/s, steps: [{ to: 1/s, over: 1m }] }
  - name: users
    load: { kind: closed, users: 10, thinkTime: 7s, duration: 4m, rampUp: 20s }
warmUp: 10s
limits: { requestsPerMinute: 60 }
objectives:
  - ttft.p95{stage=users} < 800ms
  - { objective: errorRate < 1%, severity: warn }
`;

interface Slip {
  readonly name: string;
  readonly text: string;
  /** The number of problems that the schema shows: two if a wrong name is also a missing one. */
  readonly shown: number;
  /** The number of problems that `weir validate` reports. */
  readonly reported: number;
}

const slip = (
  name: string,
  [from, to]: readonly [string, string],
  { shown = 1, reported = 1 }: Partial<Slip> = {},
): Slip => {
  if (!validScenario.includes(from)) throw new Error(`the scenario has no ${from}`);
  return { name, text: validScenario.replace(from, to), shown, reported };
};

const prompt = 'prompt: Explain in two sentences what a weir is.';

export const slips: readonly Slip[] = [
  slip('an unknown key of a chat', ['maxTokens: 100', 'maxToken: 100']),
  slip('an unknown kind of traffic', ['kind: chat-stream', 'kind: chat-strem']),
  slip('traffic without a kind', ['  - kind: chat-stream\n    name: short', '  - name: short'], {
    reported: 2,
  }),
  slip('a word for a number', ['weight: 9', 'weight: nine']),
  slip('a number for a prompt', [prompt, 'prompt: 7']),
  slip('an unknown key of a prompt', [prompt, 'prompt: { token: 100 }'], { reported: 2 }),
  slip('a word for a number of tokens', ['maxTokens: 100', 'maxTokens: many']),
  slip(
    'a wrong name in a distribution',
    ['maxTokens: 100', 'maxTokens: { kind: uniform, min: 1, maxi: 10 }'],
    { shown: 2 },
  ),
  slip('an unknown kind of load', ['kind: closed', 'kind: close']),
  slip('an unknown key of a load', ['thinkTime: 7s', 'thinkTimes: 7s']),
  slip('a load without its users', ['users: 10, ', '']),
  slip('a word for a rate', ['from: 0.2/s', 'from: fast']),
  slip('an unknown limit', ['requestsPerMinute: 60', 'requestPerMinute: 60']),
  slip('a limit below zero', ['requestsPerMinute: 60', 'requestsPerMinute: -5']),
  slip('a wrong word for no limits', ['limits: { requestsPerMinute: 60 }', 'limits: unlimited']),
  slip('a wrong severity', ['severity: warn', 'severity: warning']),
  slip('an unknown key of an objective', ['severity: warn', 'severty: warn']),
  slip('an unknown key of the scenario', ['warmUp: 10s', 'warmup: 10s']),
];
