import { fakeHost } from '../../run/fake-host.fixture.ts';
import { examineFairness, type FairnessRequest } from './fairness.ts';

/** Test support: two neighbours, and an examination of them with options that can be overridden. */

const stream = { kind: 'chat-stream', model: 'm', prompt: 'hi', maxTokens: 4 };
const b = {
  name: 'b',
  keys: '${env:B}',
  load: { kind: 'constant', rate: '40/s', duration: '9s' },
};
const a = {
  name: 'a',
  keys: '${env:A}',
  load: { kind: 'constant', rate: '20/s', duration: '9s' },
};
const neighbours = {
  name: 'neighbours',
  seed: 5,
  traffic: [stream],
  limits: 'none',
  prices: { m: { input: 1000, output: 3000 } },
  canary: false,
  warmUp: '0s',
  populations: [b, a],
};

const nothing: Omit<FairnessRequest, 'source'> = {
  quietPopulation: undefined,
  noisy: undefined,
  times: undefined,
  pairs: '3',
  block: '2s',
  settle: '1s',
  maxMoved: undefined,
  figure: undefined,
  requests: undefined,
  yes: false,
  out: undefined,
};

const nowhere = 'http://127.0.0.1:9/v1';
const keys = { A: 'key-a', B: 'key-b' };
const examine = (
  changes: object = {},
  given: Partial<FairnessRequest> = {},
  { target = nowhere, fake = fakeHost(keys) } = {},
) => {
  const value = { ...neighbours, ...changes };
  const source = { scenario: undefined, value, flags: {}, set: [], target };
  return { ...fake, exit: examineFairness({ ...nothing, source, ...given }, fake.host) };
};

export { a, b, examine, keys, stream };
