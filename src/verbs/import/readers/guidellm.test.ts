import { describe, expect, it } from 'vitest';
import { importText } from './import-source.ts';
import { noteLine } from './imported.ts';

const nothing = { rate: null, duration: null, bodies: new Map(), canWriteFiles: false } as never;

const imported = (words: string) => {
  const script = `guidellm benchmark --target http://h:8000 --model m --data prompt_tokens=9 ${words}`;
  const { notes, ...rest } = importText('guidellm', script, nothing);
  return { ...rest, notes: notes.map(noteLine).join('\n') };
};

describe('a profile of GuideLLM', () => {
  it.each([
    ['--rate-type synchronous --max-seconds 9', 1],
    ['--rate-type concurrent --rate 3 --max-seconds 9', 3],
    ['--rate-type throughput --max-seconds 9', 512],
    ['--profile kind=throughput,max_concurrency=7 --max-seconds 9', 7],
    ['--rate-type sweep --max-seconds 9', 1],
    ['--rate-type replay --max-seconds 9', 1],
    ['--rate-type knee --max-seconds 9', 1],
  ])('%s is a load of %d users', (words, users) => {
    expect(imported(words)).toMatchObject({
      scenario: { load: { kind: 'closed', users, duration: '9s' } },
    });
  });

  it.each([
    ['--rate-type constant --rate 2 --max-requests 30', { rate: '2/s', duration: '15s' }],
    ['--rate-type constant --rate 2 --max-requests 30 --max-seconds 9', { duration: '9s' }],
    ['--rate-type constant --rate 1.1 --max-requests 33', { duration: '30s' }],
    ['--rate-type poisson --rate 0.5 --max-requests 3', { kind: 'poisson', duration: '6s' }],
    [
      '--rate-type concurrent --rate 3 --max-requests 30',
      { kind: 'iterations', users: 3, iterations: 30 },
    ],
    [
      '--rate-type concurrent --rate 3 --max-requests 2 --max-seconds 9',
      { kind: 'iterations', users: 3, iterations: 3, maxDuration: '9s' },
    ],
    [
      '--profile kind=concurrent,streams=3,rampup_duration=4 --max-seconds 9',
      { kind: 'closed', users: 3, duration: '9s', rampUp: '4s' },
    ],
    [
      '--profile kind=concurrent,streams=3,rampup_duration=40 --max-seconds 9',
      { kind: 'closed', rampUp: '9s' },
    ],
  ])('and its end are a load: %s', (words, load) => {
    expect(imported(words)).toMatchObject({ scenario: { load } });
  });

  it.each([
    ['--rate-type constant --rate 2,4 --max-seconds 9', { 'load.rate': ['2/s', '4/s'] }],
    ['--rate-type concurrent --rate 3,5,3 --max-seconds 9', { 'load.users': [3, 5] }],
    ['--rate-type sweep --rate 4 --max-seconds 9', { 'load.users': [1, 2, 4, 8] }],
    ['--rate-type constant --rate 2,2 --max-seconds 9', undefined],
  ])('of several numbers varies the load: %s', (words, vary) => {
    expect((imported(words) as { scenario: { vary?: unknown } }).scenario.vary).toEqual(vary);
  });

  it.each([
    ['--rate-type throughput', 'throughput is 512 users who do not think'],
    ['--rate-type sweep', 'here 10 numbers of users double from 1 on'],
    ['--rate-type replay', 'write load: { kind: trace, file: … } for a trace'],
    ['--rate-type knee', 'this profile searches while it runs'],
    ['--profile kind=constant,rate=2,max_concurrency=4', 'max_concurrency'],
    ['--profile kind=constant,rate=2,rampup_duration=4', 'write a load of the kind "ramping"'],
    ['--rate-type constant --rate 2,4 --max-requests 30', 'that of 30 requests at the first rate'],
    ['--rate-type concurrent --rate 3 --max-requests 2', '2 are fewer than users, so there are 3'],
    ['--rate-type concurrent --rate 3 --max-requests 9', 'it ends after 10 minutes at the latest'],
    [
      '--profile kind=concurrent,streams=3,rampup_duration=4 --max-requests 9',
      'a load of a number of requests has none: use "closed" and "rampUp"',
    ],
  ])('says what it becomes, or what is left out: %s', (words, note) => {
    expect(imported(words).notes).toContain(note);
    expect(imported('--rate-type constant --rate 2 --max-seconds 9').notes).not.toContain(note);
    expect(imported('--rate-type concurrent --rate 2 --max-seconds 9').notes).not.toContain(note);
  });

  it('of rates needs one', () => {
    expect(() => imported('--rate-type constant --max-seconds 9')).toThrow('needs a rate');
  });
});
