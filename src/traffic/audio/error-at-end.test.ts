import { expect, it } from 'vitest';
import { BodyEnd } from './error-at-end.ts';

const errorIn = (...pieces: readonly string[]): string | null => {
  const end = new BodyEnd();
  for (const piece of pieces) end.append(Buffer.from(piece, 'latin1'));
  return end.error((text) => text.replaceAll('secret', '…'));
};
const error = '{"error": {"message": "out of memory: secret", "type": "server"}}';
const sound = '\u00ff\u0000\u0001'.repeat(100);

it('an error at the end of a body is found, without what is secret', () => {
  const found = errorIn(sound + error);
  expect(found).toContain('out of memory: …');
  expect(errorIn(error)).toBe(found);
  expect(errorIn(sound, error.slice(0, 9), error.slice(9), ' \n')).toBe(found);
  expect(errorIn(sound, error, '\0'.repeat(9))).toBe(found);
  // Braces before the error do not belong to it.
  expect(errorIn(`${'{'.repeat(5)}${error}`)).toBe(found);
  expect(errorIn(`${'{'.repeat(19)}${error}`)).toBe(found);
  expect(errorIn(`${'{'.repeat(20)}${error}`)).toBeNull();
});

it('what follows an error, or says that nothing failed, is sound', () => {
  expect(errorIn()).toBeNull();
  expect(errorIn(error, 'x')).toBeNull();
  expect(errorIn(error, '\0', 'x}')).toBeNull();
  expect(errorIn('{"error": "none"}')).toBeNull();
  expect(errorIn('{"error": " OK "}')).toBeNull();
  expect(errorIn('{"error": ""}')).toBeNull();
  expect(errorIn('{"error": {"message": " "}}')).toBeNull();
  expect(errorIn('{"error": {"code": 5}}')).toBeNull();
  expect(errorIn('{"title": "a song"}')).toBeNull();
  expect(errorIn('{"error": "failed"}')).toContain('failed');
  expect(errorIn('{"error": {"type": "server"}}')).toBe('no message');
});

it('an error of up to 2,048 bytes is found after any number of pieces', () => {
  const padded = (length: number): string => {
    const [head, tail] = ['{"error": "', '"}'];
    return head + 'x'.repeat(length - head.length - tail.length) + tail;
  };
  const noise = Array.from({ length: 9 }, () => 'y'.repeat(1500));
  expect(errorIn(...noise, padded(2048))).toMatch(/x{100}/);
  expect(errorIn(...noise, padded(2049))).toBeNull();
  const parts = padded(2000).match(/.{1,7}/g)!;
  expect(errorIn(...noise, ...parts)).toMatch(/x{100}/);
});
