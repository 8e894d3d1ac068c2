import { describe, expect, it } from 'vitest';
import { didYouMean, nearest, withoutColon } from './spelling.ts';

const keys = ['name', 'rate', 'duration', 'warmUp', 'users', 'thinkTime', 'inFlight', 'model'];

describe('a misspelled word', () => {
  it.each([
    ['raet', 'rate'],
    ['rat', 'rate'],
    ['durations', 'duration'],
    ['warm_up', 'warmUp'],
    ['WARMUP', 'warmUp'],
    ['think-time', 'thinkTime'],
    ['modle', 'model'],
  ])('%s is recognised as %s', (word, meant) => {
    expect(nearest(word, keys)).toBe(meant);
  });

  it.each([
    ['vus', 'users'],
    ['concurrency', 'users'],
    ['rps', 'rate'],
    ['max_in_flight', 'inFlight'],
  ])('%s is another tool’s word for %s', (word, meant) => {
    expect(nearest(word, keys)).toBe(meant);
  });

  it.each([
    ['input', 'text'],
    ['response_format', 'format'],
    ['file', 'clips'],
    ['timestamp_granularities', 'granularities'],
    ['asr', 'transcription'],
  ])('%s is the word of an audio API for %s', (word, meant) => {
    const audio = ['kind', 'text', 'format', 'clips', 'granularities', 'speech', 'transcription'];
    expect(nearest(word, audio)).toBe(meant);
  });

  it('is not recognised if no known word is similar', () => {
    expect(nearest('zzz', keys)).toBeNull();
    expect(nearest('__', keys)).toBeNull();
    expect(nearest('rate', [])).toBeNull();
    expect(didYouMean('zzz', keys)).toBeNull();
  });
});

it.each([
  ['to 5/s', 'to'],
  ['to:5/s', 'to'],
  ['token:5', 'token'],
  ['to', null],
  ['to5/s', null],
  ['5/s to', null],
])('the word %s is the key %s with its value, or none', (word, key) => {
  expect(withoutColon(word, ['from', 'to', 'token'])).toBe(key);
});
