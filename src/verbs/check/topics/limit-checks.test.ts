import { describe, expect, it } from 'vitest';
import { limitHeaders } from '../../../contract/limit-headers.ts';
import { limitChecks } from './limit-checks.ts';
import { reply, said } from './judged.fixture.ts';

const { limitRequests, remainingRequests, limitTokens, remainingTokens } = limitHeaders;
const documented = {
  [limitRequests]: '60',
  [remainingRequests]: '59',
  [limitTokens]: '2000000',
  [remainingTokens]: '1999990',
};
const chatWith = (headers: Readonly<Record<string, string>>) => [reply('chat', {}, { headers })];

describe('the four headers', () => {
  it('are there, and are whole numbers', () => {
    expect(said('headers.chat', chatWith(documented))).toBe('pass: all four');
    expect(said('headers.chat', chatWith({ ...documented, [limitTokens]: ' 9 ' }))).toBe(
      'pass: all four',
    );
    const odd = { ...documented, [remainingRequests]: '-1', [limitTokens]: '1.5' };
    expect(said('headers.chat', chatWith(odd))).toBe(
      `violation: no whole number: ${remainingRequests}: -1, ${limitTokens}: 1.5`,
    );
    const long = said('headers.chat', chatWith({ ...documented, [limitTokens]: '9'.repeat(99) }));
    expect(long).toBe(`violation: no whole number: ${limitTokens}: ${'9'.repeat(40)}…`);
  });

  it.each([
    ['stream', 'stream', 'streams', 'an answer of stream'],
    ['models', 'models', 'models', 'an answer of models'],
    ['speech', 'speech-default', 'speech', 'an answer of speech'],
    ['transcription', 'transcription-json', 'transcriptions', 'an answer of transcription'],
    ['refusals', 'temperature-above', 'refusals', 'a 400'],
  ])('that lack on %s are a known deviation', (where, request, name, expected) => {
    const answers = [reply(request, {}, { headers: {} })];
    expect(said(`headers.${where}`, answers)).toBe(
      `deviation (no-limit-headers-on-${name}): missing: all four`,
    );
    expect(limitChecks.find(({ id }) => id === `headers.${where}`)).toMatchObject({
      rows: ['8.headers'],
      expected: `the four headers on ${expected}`,
      needs: [request],
    });
  });

  it('of another family are shown four at most, after those that the user did not name', () => {
    const others = {
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-limit-tokens': '2',
      'x-ratelimit-remaining-requests': '3',
      'x-ratelimit-remaining-tokens': '4',
      'x-ratelimit-reset-tokens': '5s',
      'content-type': 'text/plain',
    };
    const shown =
      'of openai: x-ratelimit-limit-requests: 1, x-ratelimit-limit-tokens: 2, x-ratelimit-remaining-requests: 3, x-ratelimit-remaining-tokens: 4';
    expect(said('headers.chat', chatWith(others))).toBe(
      `deviation (other-limit-headers): under other names, those ${shown}; right with --header-family openai`,
    );
    expect(said('headers.chat', chatWith(others), { headerFamily: 'openai' })).toBe(
      `pass: those ${shown}`,
    );
  });
});

describe('a limit', () => {
  it.each([
    ['60', 'pass: 60'],
    ['61', 'open: the limit is 61'],
    ['0', 'violation: the limit is 0'],
    ['1', 'open: the limit is 1'],
  ])('of %s requests', (text, words) => {
    expect(said('limit.requests', chatWith({ ...documented, [limitRequests]: text }))).toBe(words);
  });

  it('of tokens is two million', () => {
    expect(said('limit.tokens', chatWith(documented))).toBe('pass: 2000000');
    const checkOf = (wanted: string) => limitChecks.find(({ id }) => id === wanted);
    expect(checkOf('limit.tokens')).toMatchObject({
      rows: ['8.limit_tokens', '8.tokens'],
      expected: `${limitTokens} is 2000000, unless another limit was agreed`,
    });
    expect(checkOf('limit.requests')).toMatchObject({
      rows: ['8.limit_requests', '8.requests'],
      expected: `${limitRequests} is 60, unless another limit was agreed`,
    });
    expect(checkOf('remaining.tokens')!.rows).toEqual(['8.remaining_tokens']);
    expect(checkOf('remaining.requests')!.rows).toEqual(['8.remaining_requests']);
  });

  it.each([
    ['limit.requests', { [remainingRequests]: '5' }, 'requests', remainingRequests],
    ['limit.tokens', { [remainingTokens]: '5' }, 'tokens', remainingTokens],
    ['remaining.tokens', { [remainingTokens]: '5' }, 'tokens', remainingTokens],
  ])('%s is unknown if only the rest is named', (id, headers, unit, header) => {
    expect(said(id, chatWith(headers))).toBe(
      `unchecked: no header names the limit of ${unit} a minute that belongs to ${header}`,
    );
  });
});

describe('what remains', () => {
  it.each([
    ['60', 'pass: 60 of 60'],
    ['0', 'pass: 0 of 60'],
    ['61', 'violation: 61 remain of 60'],
    ['-1', 'violation: -1 remain of 60'],
  ])('%s of 60', (text, words) => {
    expect(said('remaining.requests', chatWith({ ...documented, [remainingRequests]: text }))).toBe(
      words,
    );
  });

  it('by the headers of another family may be more than the limit', () => {
    const headers = { 'x-ratelimit-limit-tokens': '10', 'x-ratelimit-remaining-tokens': '11' };
    expect(said('remaining.tokens', chatWith(headers))).toBe('open: 11 remain of 10');
  });

  it.each<readonly [string | null, string | null, readonly (string | null)[], string]>([
    ['59', '58', [], 'pass: 59, then 58'],
    ['58', '59', [], 'open: 58, then 59: a window began between them'],
    ['59', '59', [], 'deviation (constant-remaining): 59 every time'],
    ['59', '59', ['59', null], 'deviation (constant-remaining): 59 every time'],
    ['59', '59', ['59', '57'], 'open: 59 both times, and another number later'],
    [null, '59', [], 'unchecked: no header says how many requests remain'],
    ['59', null, [], 'unchecked: no header names requests'],
  ])('%s and then %s, with %j later', (before, after, later, words) => {
    const headersOf = (rest: string | null, withLimit: boolean): Record<string, string> => ({
      ...(withLimit ? { [limitRequests]: '60' } : {}),
      ...(rest === null ? {} : { [remainingRequests]: rest }),
    });
    const answers = [
      reply('chat', {}, { headers: headersOf(before, true) }),
      reply('minimal', {}, { headers: headersOf(after, after !== null) }),
      ...later.map((rest, i) => reply(`later-${i}`, {}, { headers: headersOf(rest, true) })),
    ];
    expect(said('remaining.falls', answers)).toBe(words);
  });
});
