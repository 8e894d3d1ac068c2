import { describe, expect, it } from 'vitest';
import { importText } from './import-source.ts';
import { noteLine } from './imported.ts';

const nothing = { rate: null, duration: null, bodies: new Map(), canWriteFiles: false } as never;

interface Read {
  readonly scenario: Readonly<Record<string, unknown>> & {
    readonly traffic: readonly Readonly<Record<string, unknown>>[];
  };
  readonly notes: string;
}

const imported = (words: string, target = 'http://h:8000', data = 'prompt_tokens=9'): Read => {
  const script = `guidellm benchmark --target ${target} --model m --data ${data} --rate-type concurrent --rate 2 ${words}`;
  const { notes, ...rest } = importText('guidellm', script, nothing);
  return { ...(rest as unknown as Read), notes: notes.map(noteLine).join('\n') };
};

const trafficOf = (data: string, words = '') =>
  imported(`--max-seconds 9 ${words}`, undefined, data).scenario.traffic[0]!;

describe('what GuideLLM does at its end or beginning', () => {
  it.each([
    ['--max-error-rate 0.05', ['errorRate < 5%']],
    ['--max-global-error-rate 0.07', ['errorRate < 7%']],
    ['--max-error-rate 0.05 --max-global-error-rate 0.07', ['errorRate < 5%']],
    ['--max-errors 3', ['failed < 3']],
    ['--max-errors 3 --max-error-rate 0.015', ['errorRate < 1.5%', 'failed < 3']],
  ])('is an objective that ends the run: %s', (words, objectives) => {
    const { scenario, notes } = imported(`--max-seconds 9 ${words}`);
    expect(scenario['objectives']).toEqual(
      objectives.map((objective) => ({ objective, abort: { after: '10s' } })),
    );
    expect(notes).toContain('it is an objective that ends the run, checked from 10 s on');
  });

  it('is no objective without a limit of errors', () => {
    const { scenario, notes } = imported('--max-seconds 9');
    expect(scenario).not.toHaveProperty('objectives');
    expect(notes).not.toContain('objective');
  });

  it.each([
    ['--max-seconds 20 --warmup 0.1', '2s'],
    ['--max-seconds 20 --warmup 0.99', '19s800ms'],
    ['--max-seconds 20 --warmup 1', '1s'],
    ['--max-seconds 20 --warmup 5', '5s'],
    ['--max-seconds 20 --warmup 0', undefined],
    ['--max-seconds 20', undefined],
  ])('is a warm-up of a share or of seconds: %s', (words, warmUp) => {
    const { scenario, notes } = imported(words);
    expect(scenario['warmUp']).toBe(warmUp);
    expect(notes).not.toContain('warm-up of requests');
  });

  it.each(['--max-requests 20 --warmup 0.1', '--max-seconds 9 --max-requests 20 --warmup 2'])(
    'is left out where it is of requests: %s',
    (words) => {
      const { scenario, notes } = imported(words);
      expect(scenario).not.toHaveProperty('warmUp');
      expect(notes).toContain('a warm-up of requests has no counterpart');
    },
  );

  it('has no cool-down', () => {
    const message = 'Weir measures until the load ends';
    expect(imported('--max-seconds 9 --cooldown 2').notes).toContain(message);
    expect(imported('--max-seconds 9 --cooldown 0').notes).not.toContain(message);
  });
});

describe('the content of GuideLLM’s requests', () => {
  it('has lengths with their spread, and 256 tokens without any', () => {
    expect(trafficOf('prompt_tokens=9')['prompt']).toMatchObject({ tokens: 9 });
    expect(trafficOf('output_tokens=5')).toMatchObject({
      prompt: { tokens: 256 },
      maxTokens: 5,
      body: { ignore_eos: true },
    });
    expect(trafficOf('prompt_tokens=9')).not.toHaveProperty('maxTokens');
    expect(trafficOf('prompt_tokens=9')).not.toHaveProperty('body');
  });

  it('has a prefix that all prompts, or those of a pool, begin with', () => {
    expect(trafficOf('prompt_tokens=9,prefix_tokens=4')['prompt']).toMatchObject({
      tokens: 13,
      prefix: { tokens: 4, pool: 1 },
    });
    expect(trafficOf('prompt_tokens=9,prefix_tokens=1,prefix_count=3')['prompt']).toMatchObject({
      tokens: 10,
      prefix: { tokens: 1, pool: 3 },
    });
    expect(trafficOf('prompt_tokens=9,prefix_tokens=0')['prompt']).not.toHaveProperty('prefix');
  });

  it('has turns from two on, of which each is answered', () => {
    expect(trafficOf('prompt_tokens=9,turns=2')['prompt']).toMatchObject({
      turns: { count: 2, answer: 128 },
    });
    expect(trafficOf('prompt_tokens=9,turns=2,output_tokens=7')['prompt']).toMatchObject({
      turns: { count: 2, answer: 7 },
    });
    expect(trafficOf('prompt_tokens=9,turns=1')['prompt']).not.toHaveProperty('turns');
  });

  it('is not verified at an address with TLS, since GuideLLM does not either', () => {
    const wireOf = (target: string, words = '') =>
      imported(`--max-seconds 9 ${words}`, target).scenario['wire'];
    expect(wireOf('https://h:8000')).toEqual({ verifyTls: false });
    expect(wireOf('http://h:8000')).toBeUndefined();
    expect(wireOf('https://h:8000', `--backend-kwargs '{"verify": true}'`)).toBeUndefined();
    expect(wireOf('https://h:8000', `--backend-kwargs '{"verify": false}'`)).toEqual({
      verifyTls: false,
    });
  });

  it('streams unless that is turned off', () => {
    expect(trafficOf('prompt_tokens=9')['kind']).toBe('chat-stream');
    expect(trafficOf('prompt_tokens=9', `--backend-kwargs '{"stream": false}'`)['kind']).toBe(
      'chat',
    );
  });
});
