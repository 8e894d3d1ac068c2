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

  it('have the time to the end from the last moment that came', () => {
    const at = (moments: object) => {
      const times = { begun: 10, connected: 30, sent: 70, head: 150, output: 310, ended: 650 };
      const each = { ...slow, due: 0, ...times, ...moments } as typeof slow;
      const cells = htmlOf({ ...result, exemplars: [each] }).split('<td class="number">');
      return cells.slice(-6).map((cell) => cell.split('<')[0]);
    };
    expect(at({})).toEqual(['10 ms', '20 ms', '40 ms', '80 ms', '160 ms', '340 ms']);
    const lost = { output: null };
    expect(at(lost).slice(-2)).toEqual(['–', '500 ms']);
    const headless = { ...lost, head: null };
    expect(at(headless).slice(-3)).toEqual(['–', '–', '580 ms']);
    const unsent = { ...headless, sent: null };
    expect(at(unsent).slice(-4)).toEqual(['–', '–', '–', '620 ms']);
    const unconnected = { ...unsent, connected: null };
    expect(at(unconnected).slice(-5)).toEqual(['–', '–', '–', '–', '640 ms']);
    // A connection that was open before the request was begun.
    expect(at({ connected: 4 })[1]).toBe('0 s');
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
