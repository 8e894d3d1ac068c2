import { expect, it } from 'vitest';
import { isAudit } from './check-report.ts';

it.each([
  [['usage', 'disconnects'], true],
  [['usage', 'models'], false],
  [[], false],
] as const)('rows of the topics %j are an audit: %s', (topics, expected) => {
  expect(isAudit(topics.map((topic) => ({ topic })))).toBe(expected);
});
