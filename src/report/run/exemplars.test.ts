import { describe, expect, it } from 'vitest';
import { hostileText } from '../fixtures/sample-answers.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { blockMarkup } from '../document/html-page.ts';
import type { Result } from '../../model/result/result.ts';
import { exemplarFolds } from './outcomes.ts';

const result = sampleRunResult();
const [slow] = result.exemplars ?? [];
if (slow === undefined) throw new Error('the sample has exemplars');

const htmlOf = (each: Result): string =>
  exemplarFolds(each)
    .map((block) => blockMarkup(block)?.markup ?? '')
    .join('');

describe('single requests', () => {
  it('are shown with both ids and the phases of their time', () => {
    const each = { ...slow, begun: slow.due, connected: slow.due, sent: slow.due };
    const text = htmlOf({ ...result, exemplars: [each] });
    expect(text).toContain(each.requestId);
    expect(text).toContain(`server: ${each.serverId}`);
    expect(text).toMatch(/<td class="number">30\.\d ms<\/td>/);
    expect(text).toContain('the slowest completed ones of each kind (1)');
    expect(text).not.toContain('kind of failure');
  });

  it('show a hostile server’s id and cause as text, and nothing for a phase that never came', () => {
    const each = {
      ...slow,
      outcome: 'refused' as const,
      cause: hostileText,
      serverId: hostileText,
      output: null,
    };
    const text = htmlOf({ ...result, exemplars: [each] });
    expect(text).toContain('the first and the last of each kind of failure (1)');
    expect(text).not.toContain('<img');
    expect(text).toContain('<td class="number">–</td>');
  });

  it('of a server that gave no id say so', () => {
    const text = htmlOf({ ...result, exemplars: [{ ...slow, serverId: null }] });
    expect(text).toContain('no server id');
    expect(text).not.toContain('server: ');
  });

  it('are left out where a result has none', () => {
    expect(htmlOf({ ...result, exemplars: undefined })).toBe('');
  });
});
