import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkedContent } from '../rendezvous/checked-content.ts';
import { waitAtMost } from '../wait-at-most.ts';
import {
  filePartsOf,
  newSha256,
  readPromptWords,
  readTextWithHash,
  unreadableReason,
} from './file-contents.ts';
import { outsideOf } from './outside.ts';

const home = mkdtempSync(join(tmpdir(), 'weir-outside-'));
afterAll(() => rmSync(home, { recursive: true }));
const folder = join(home, 'scenario');
mkdirSync(join(folder, 'data'), { recursive: true });
writeFileSync(join(folder, 'data', 'a.txt'), 'ä\n');
writeFileSync(join(home, 'secret.txt'), 'secret');
symlinkSync(join(home, 'secret.txt'), join(folder, 'link.txt'));
symlinkSync(home, join(folder, 'up'));
symlinkSync(folder, join(home, 'alias'));

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a file that a scenario names', () => {
  it.each(['data/a.txt', './data/../data/a.txt', 'none.txt', 'none/deep/x.txt', '..a', '.'])(
    'may be %s',
    (file) => {
      expect(outsideOf(folder, file)).toBeNull();
    },
  );

  it.each(['../secret.txt', '..', '/etc/hosts', 'link.txt', 'up/secret.txt', 'up/none/x', '../s'])(
    'may not be %s',
    (file) => {
      expect(outsideOf(folder, file)).toBe(
        `${file} is outside the scenario’s folder: copy it there, or add --allow-files if you trust the scenario, which decides where it is sent`,
      );
    },
  );

  it('may be named by its whole path, also through a link to the folder', () => {
    expect(outsideOf(folder, join(folder, 'data', 'a.txt'))).toBeNull();
    expect(outsideOf(join(home, 'alias'), join(folder, 'data', 'a.txt'))).toBeNull();
    expect(outsideOf(folder, join(home, 'alias', 'new.txt'))).toBeNull();
    expect(outsideOf('/', '/etc/hosts')).toBeNull();
  });
});

describe('the bytes of a file', () => {
  const path = join(home, 'large');
  const large = Buffer.alloc(1024 * 1024 + 3, 'abc');
  writeFileSync(path, large);

  it('come in parts, and their digest is that of all', () => {
    const parts = [...filePartsOf(path)];
    expect(parts.map(({ length }) => length)).toEqual([1024 * 1024, 3]);
    expect(Buffer.concat(parts).equals(large)).toBe(true);
    writeFileSync(join(home, 'empty'), '');
    expect([...filePartsOf(join(home, 'empty'))]).toEqual([]);
    expect(newSha256().update('x').digest('hex')).toBe(digestOf('x'));
  });

  it('are text with the digest of the file', () => {
    expect(readTextWithHash(join(folder, 'data', 'a.txt'))).toEqual({
      text: 'ä\n',
      sha256: digestOf('ä\n'),
    });
  });

  it('are not read beyond a bound', () => {
    expect(() => [...filePartsOf(path, 1024)]).toThrow('the most that is read');
    expect([...filePartsOf(path, large.length)]).toHaveLength(2);
    expect(() => readTextWithHash(path, large.length - 1)).toThrow('the most that is read');
    expect(readTextWithHash(path, large.length).text).toHaveLength(large.length);
  });

  it('that the system does not give have a reason in words, and another error has none', () => {
    const reasonOf = (read: () => unknown): string | null => {
      try {
        read();
        return 'none';
      } catch (error) {
        return unreadableReason(error);
      }
    };
    expect(reasonOf(() => [...filePartsOf(join(home, 'none'))])).toBe('there is no such file');
    expect(unreadableReason(new TypeError('a defect'))).toBeNull();
  });

  it('of the prompt words are there', () => {
    expect(readPromptWords().length).toBeGreaterThan(1000);
  });
});

it('what others put into a rendezvous must be there, and be what was announced', () => {
  const bytes = Buffer.from('plan');
  expect(checkedContent('nats://h', 'plan.json', bytes, digestOf('plan'))).toBe(bytes);
  expect(() => checkedContent('nats://h', 'plan.json', null, digestOf('plan'))).toThrow(
    'plan.json is not in the rendezvous nats://h',
  );
  expect(() => checkedContent('nats://h', 'plan.json', bytes, digestOf('other'))).toThrow(
    `plan.json in the rendezvous nats://h was changed: expected SHA-256 ${digestOf('other').slice(0, 12)}…, got ${digestOf('plan').slice(0, 12)}…`,
  );
});

it('work is waited for at most so long, and its failure is that of the wait', async () => {
  await expect(waitAtMost(5000, Promise.resolve('x'))).resolves.toBeUndefined();
  await expect(waitAtMost(5000, Promise.reject(new Error('late')))).rejects.toThrow('late');
  await expect(waitAtMost(1, new Promise(() => undefined))).resolves.toBeUndefined();
});
