import { describe, expect, it } from 'vitest';
import { hostileText } from '../../fixtures/sample-answers.fixture.ts';
import { sampleRunResult } from '../../fixtures/sample-result.fixture.ts';
import { exemplarTables } from './exemplars.ts';

const result = sampleRunResult();
const [slow] = result.exemplars ?? [];
if (slow === undefined) throw new Error('the sample has exemplars');

describe('single requests', () => {
  it('are told with both ids and what their time went into', () => {
    const each = { ...slow, begun: slow.due, connected: slow.due, sent: slow.due };
    const text = exemplarTables({ ...result, exemplars: [each] })?.markup ?? '';
    expect(text).toContain(each.requestId);
    expect(text).toContain(`server: <code>${each.serverId}</code>`);
    expect(text).toMatch(/<td>30\.\d ms<\/td>/);
    expect(text).toContain('the slowest completed ones of each kind (1)');
    expect(text).not.toContain('way to fail');
  });

  it('show a hostile server’s id and cause as text, and nothing where a phase never came', () => {
    const each = {
      ...slow,
      outcome: 'refused' as const,
      cause: hostileText,
      serverId: hostileText,
      output: null,
    };
    const text = exemplarTables({ ...result, exemplars: [each] })?.markup ?? '';
    expect(text).toContain('the last of each way to fail (1)');
    expect(text).not.toContain('<img');
    expect(text).toContain('<td>–</td>');
  });

  it('are left out where a result has none', () => {
    expect(exemplarTables({ ...result, exemplars: undefined })).toBeNull();
  });
});
