import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { ProbeModels } from '../limits/experiment/probe-requests.ts';
import { pricesInFile, pricesInList } from './starter-prices.ts';

const models: ProbeModels = {
  chat: 'a/chat',
  otherChat: null,
  speech: 'a/tts',
  transcription: 'a/stt',
  voice: 'v',
  listed: ['a/chat', 'a/tts', 'a/stt'],
};

const fileWith = (prices: object): string => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-prices-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'prices.json');
  writeFileSync(file, JSON.stringify(prices));
  return file;
};

const perToken = { input: 1, output: 3 };

/** Prices of a million tokens and of a character become millionths of the currency. */
it('a first scenario has the prices of its models that a file names, each of its kind', () => {
  const file = fileWith({
    'a/chat': perToken,
    'a/tts': { perCharacter: 2e-9 },
    'a/stt': perToken,
    other: perToken,
  });
  expect(pricesInFile(file, 'a/chat', models)).toEqual({
    source: `from ${file}`,
    currency: undefined,
    models: [
      ['a/chat', { input: 1_000_000, output: 3_000_000 }],
      ['a/tts', { perCharacter: 2000 }],
    ],
  });
  expect(pricesInFile(file, 'a/chat', { ...models, speech: null })!.models).toHaveLength(1);
  expect(pricesInFile(file, 'none', { ...models, speech: null })).toBeUndefined();
});

it('a first scenario has the price of its chat model that the list names, and no other', () => {
  const details = new Map([
    ['a/chat', { context: null, price: { input: 5, output: 7 } }],
    ['a/tts', { context: 9, price: null }],
  ]);
  expect(pricesInList('a/chat', { ...models, details })).toEqual({
    source: 'which the gateway’s list names',
    currency: undefined,
    models: [['a/chat', { input: 5, output: 7 }]],
  });
  expect(pricesInList('a/tts', { ...models, details })).toBeUndefined();
  expect(pricesInList('other', { ...models, details })).toBeUndefined();
  expect(pricesInList('a/chat', models)).toBeUndefined();
});

it('a file of prices that cannot be read is named with its option', () => {
  expect(() => pricesInFile('nowhere.json', 'a/chat', models)).toThrow(
    /^--prices: .*nowhere\.json/,
  );
});
