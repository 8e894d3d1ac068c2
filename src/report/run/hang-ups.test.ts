import { describe, expect, it } from 'vitest';
import type { Group, HangUps } from '../../model/measures/counts.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { hangUpSection, hangUpSentence } from './hang-ups.ts';

const counts = (some: Partial<Group['outcomes']>) => ({ ...emptyOutcomeCounts(), ...some });
const labels = { model: 'm', key: 'k', stage: 's', warmUp: false };

const groupOf = (
  traffic: Group['labels']['traffic'],
  outcomes: Partial<Group['outcomes']>,
  more: { readonly entry?: string; readonly hangUps?: HangUps } = {},
) => {
  const { entry, hangUps } = more;
  return {
    labels: { ...labels, traffic, ...(entry === undefined ? {} : { entry }) },
    outcomes: counts(outcomes),
    ...(hangUps === undefined ? {} : { hangUps }),
  } as unknown as Group;
};
const resultOf = (...groups: readonly Group[]): Result => ({ groups }) as unknown as Result;

const hangUps = (cancelled: number, completed: number, each: Partial<HangUps> = {}): HangUps => ({
  outcomes: counts({ cancelled, completed }),
  headers: 0,
  tokenEvents: 0,
  bytes: 0,
  time: 0,
  ...each,
});

/** The cells of the section's rows. */
const rowsOf = (result: Result): readonly (readonly string[])[] =>
  (hangUpSection(result)?.blocks ?? []).flatMap((block) =>
    block.kind === 'table'
      ? block.groups.flatMap(({ rows }) => rows.map(({ cells }) => cells.map(({ text }) => text)))
      : [],
  );

describe('hang-ups', () => {
  it('are a row for each entry, with means of what the cancelled requests had received', () => {
    const result = resultOf(
      groupOf(
        'chat-stream',
        { completed: 5 },
        {
          entry: 'long',
          hangUps: hangUps(2, 1, { headers: 2, tokenEvents: 9, bytes: 300, time: 3000 }),
        },
      ),
      groupOf(
        'chat-stream',
        { completed: 5 },
        {
          entry: 'long',
          hangUps: hangUps(2, 0, { headers: 1, tokenEvents: 2, bytes: 101, time: 1000 }),
        },
      ),
      groupOf('chat', { completed: 5 }, { hangUps: hangUps(0, 3) }),
      groupOf('models', { completed: 5 }),
    );
    expect(rowsOf(result)).toEqual([
      ['long', '5', '4', '1', '3', '2.8', '100', '1 s'],
      ['chat', '3', '0', '3', '0', '–', '–', '–'],
    ]);
  });

  it('are no section if the client was to hang up on nothing', () => {
    expect(hangUpSection(resultOf(groupOf('chat', { completed: 5 })))).toBeNull();
  });

  it('are said once for the whole run', () => {
    const of = (some: Partial<Group['outcomes']>) =>
      hangUpSentence(resultOf(groupOf('chat', some)));
    expect(of({ completed: 7 })).toBeNull();
    expect(of({ completed: 7, cancelled: 1234 })).toBe(
      'the client hung up on 1,234 of 1,241 requests, as the scenario says',
    );
    expect(of({ cancelled: 1 })).toBe('the client hung up on 1 of 1 request, as the scenario says');
  });
});
