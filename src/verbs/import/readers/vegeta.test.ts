import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from './any-character.fixture.ts';
import { readTargets } from './import-source.ts';
import { ImportError } from './imported.ts';
import { importVegeta, type VegetaAttack } from './vegeta.ts';

interface Given {
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const host = 'http://h:1/v1';

/** In the format `json`. */
const asJson = (targets: readonly Given[]): string =>
  targets
    .map(({ path, body, headers }) => {
      const header = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, [value]]),
      );
      const base64 = Buffer.from(body).toString('base64');
      return `${JSON.stringify({ method: 'POST', url: host + path, body: base64, header })}\n`;
    })
    .join('\n');

/** In the format `http`, with bodies in files that are named by their number. */
const asHttp = (targets: readonly Given[]): string =>
  targets
    .map(({ path, headers }, i) => {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
      return `# target ${i}\nPOST ${host}${path}\n${lines.join('')}@${i}\n\n`;
    })
    .join('');

const attackWith = (targets: readonly Given[]): VegetaAttack => ({
  rate: '1/s',
  duration: '1s',
  bodies: new Map(targets.map(({ body }, i) => [String(i), Buffer.from(body)])),
  canWriteFiles: true,
});

const content = fc.record({
  role: fc.constantFrom('system', 'user', 'assistant'),
  content: fc.string({ unit: anyCharacter }),
});
const chat = fc.record(
  {
    model: fc.string({ minLength: 1, maxLength: 5 }),
    messages: fc.array(content, { minLength: 1, maxLength: 3 }),
    max_tokens: fc.oneof(fc.integer({ min: -1, max: 9 }), fc.constant('9')),
    temperature: fc.constantFrom(0, 0.5, 3, null),
    stream: fc.boolean(),
    stop: fc.array(fc.string()),
  },
  { requiredKeys: ['model', 'messages'] },
);
const target = fc.record({
  path: fc.constantFrom('/chat/completions', '/audio/speech'),
  body: fc.oneof(
    chat.map((each) => JSON.stringify(each)),
    fc.constant('{"model":"m","input":"Hi"}'),
  ),
  headers: fc.constantFrom(
    {},
    { 'X-Team': 'load' },
    { Authorization: 'Bearer sk-hidden-1234' },
    { 'Content-Type': 'application/json', 'X-Session-Token': 'hidden-1234' },
  ),
});

const imported = (text: string, attack: VegetaAttack) => {
  try {
    const { notes, ...rest } = importVegeta(readTargets(text), attack);
    return { ...rest, notes: notes.map(({ kind, message }) => ({ kind, message })) };
  } catch (error) {
    if (error instanceof ImportError) return error.message;
    throw error;
  }
};

describe('vegeta’s targets', () => {
  it('mean the same in both formats, hide every key, and are all taken over or named', () => {
    fc.assert(
      fc.property(fc.array(target, { minLength: 1, maxLength: 6 }), (targets) => {
        const attack = attackWith(targets);
        const [json, http] = [imported(asJson(targets), attack), imported(asHttp(targets), attack)];
        expect(http).toEqual(json);
        expect(JSON.stringify(json)).not.toContain('hidden');
        if (typeof json === 'string' || json.kind !== 'scenario') return;
        const traffic = json.scenario['traffic'] as readonly { readonly weight?: number }[];
        const taken = traffic.reduce((sum, { weight = 1 }) => sum + weight, 0);
        const refused = json.notes.filter(
          ({ kind, message }) => kind === 'left' && !/header|secret/.test(message),
        );
        expect(taken + refused.length).toBe(targets.length);
      }),
    );
  });

  it.each([
    ['get http://h/models', 'line 1: expected a method and an address'],
    ['GET http://h/models\nX', 'line 2: expected a header, or @ and the path of a body'],
    ['GET http://h/models\nA: b\nGET http://h/models', 'line 3: expected an empty line before'],
    ['{"method":"GET"}', 'line 1: expected a target with "method" and "url"'],
    ['{"method":"GET","url":"http://h/models"}\n{', 'line 2: expected a target in JSON'],
    [
      '{"method":"GET","url":"http://h/v1/models","body":"{}"}',
      'line 1: its "body" is not in base64',
    ],
    ['# nothing\n\n', 'there are no targets'],
    ['GET http://h/other', 'no target is a request of the interface'],
    ['GET http://user:hidden@h/v1/models', 'no target is a request of the interface'],
    ['GET http://h/v1/models?code=hidden', 'no target is a request of the interface'],
    ['GET http://h/v1/models?a=sk-hidden', 'no target is a request of the interface'],
  ])('%j: says what it expects', (text, message) => {
    expect(() => importVegeta(readTargets(text), attackWith([]))).toThrow(message);
  });

  it.each([
    ['50', '30s', '50/s', '30s'],
    ['100/1m', '1m30s', '100/min', '1m30s'],
    ['3/2s', '1.5h', '90/min', '1h30m'],
    ['1/ms', '250ms', '1000/s', '250ms'],
  ])('at %s for %s are a constant load', (rate, duration, expectedRate, expectedDuration) => {
    const targets = readTargets('GET http://h/v1/models');
    const made = importVegeta(targets, { ...attackWith([]), rate, duration });
    expect(made).toMatchObject({
      scenario: { load: { kind: 'constant', rate: expectedRate, duration: expectedDuration } },
    });
  });

  it.each([
    [{ rate: '0' }, '--rate 0: expected'],
    [{ rate: '5/x' }, '--rate 5/x: expected'],
    [{ duration: '0s' }, '--duration 0s: expected'],
    [{ duration: '30' }, '--duration 30: expected'],
  ])('with %j are refused', (options, message) => {
    const targets = readTargets('GET http://h/v1/models');
    expect(() => importVegeta(targets, { ...attackWith([]), ...options })).toThrow(message);
  });
});

it('headers that Weir sets itself, and the host of the target, are not left out', () => {
  const chatAt = (id: string, more: string): string =>
    `POST ${host}/chat/completions\nX-Request-Id: ${id}\n${more}@a\n\n`;
  const bodies = new Map([
    ['a', Buffer.from('{"model":"m","messages":[{"role":"user","content":"a"}]}')],
  ]);
  const attack = { rate: '1/s', duration: '1s', bodies, canWriteFiles: true };
  const leftOf = (text: string): readonly string[] =>
    importVegeta(readTargets(text), attack)
      .notes.filter(({ kind }) => kind === 'left')
      .map(({ message }) => message);
  expect(leftOf(chatAt('1', 'Host: h:1\nConnection: close\n') + chatAt('2', ''))).toEqual([]);
  expect(leftOf(chatAt('1', 'Host: other\n'))).toEqual(['the header host is that of the target']);
});

describe('what vegeta sends otherwise or not at all', () => {
  const question = { model: 'm', messages: [{ role: 'user', content: 'a' }] };
  const attackOn = (body: object): VegetaAttack => ({
    rate: '1/s',
    duration: '1s',
    bodies: new Map([['a', Buffer.from(JSON.stringify(body))]]),
    canWriteFiles: true,
  });
  const notesOf = (text: string, kind: 'left' | 'unneeded'): readonly string[] =>
    importVegeta(readTargets(text), attackOn(question))
      .notes.filter((note) => note.kind === kind)
      .map(({ place, message }) => `${place}: ${message}`);

  it('gets a line: a header with a second value', () => {
    const text = `POST ${host}/chat/completions\nX-A: 1\nX-A: 2\nX-B: 3\nx-b: 4\n@a\n`;
    expect(notesOf(text, 'left')).toEqual([
      'line 3: a second value of the header x-a: a scenario sends each header once',
      'line 5: a second value of the header x-b: a scenario sends each header once',
    ]);
  });

  it('gets a line: a field that is not of its format, once for all targets', () => {
    const line = JSON.stringify({
      method: 'GET',
      url: `${host}/models`,
      headers: { A: ['b'] },
      timeout: '3s',
    });
    expect(notesOf(`${line}\n${line}`, 'unneeded')).toEqual([
      'line 1: vegeta does not read "headers" either',
      'line 1: vegeta does not read "timeout" either',
    ]);
  });

  it.each(['true', 1, [], {}])('is refused: a "stream" of %j', (stream) => {
    const targets = readTargets(`POST ${host}/chat/completions\n@a\n`);
    expect(() => importVegeta(targets, attackOn({ ...question, stream }))).toThrow(
      'its "stream" is neither true nor false',
    );
  });
});
