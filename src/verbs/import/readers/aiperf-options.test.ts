import { expect, it } from 'vitest';
import { otherAiPerfOptions } from './aiperf-options.ts';

/** What becomes of an option that is not imported: the row that matches it first. */
const fateOf = (name: string) => {
  const [, kind, message = ''] = otherAiPerfOptions.find(([names]) => names.test(name)) ?? [];
  return [kind, message] as const;
};

it.each([
  ['--artifact-dir', 'unneeded', 'AIPerf’s own processes'],
  ['--stream', 'unneeded', 'AIPerf’s own processes'],
  ['-v', 'unneeded', 'AIPerf’s own processes'],
  ['-vv', 'unneeded', 'AIPerf’s own processes'],
  ['--search-space', 'left', 'weir sweep'],
  ['--ttft-sla', 'left', 'weir sweep'],
  ['--concurrency-max', 'left', 'weir sweep'],
  ['--input-file', 'left', 'prompt: { file: … }'],
  ['--fixed-schedule', 'left', 'kind: trace'],
  ['--seq-dist', 'left', 'its weight for each pair of lengths'],
  ['--random-range-ratio', 'left', 'its weight for each pair of lengths'],
  ['--user-centric-rate', 'left', '"users" and "thinkTime"'],
  ['--num-users', 'left', '"users" and "thinkTime"'],
  ['--image-width-mean', 'left', 'content parts'],
  ['--batch-size-text', 'left', 'content parts'],
])('an option such as %s is %s, with what to do instead', (name, kind, words) => {
  const [found, message] = fateOf(name);
  expect(found).toBe(kind);
  expect(message).toContain(words);
});

it.each(['--streaming', '--concurrency', '--url', '--unknown', '-x'])(
  'nothing is said of %s here',
  (name) => {
    expect(fateOf(name)).toEqual([undefined, '']);
  },
);
