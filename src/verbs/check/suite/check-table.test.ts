import { describe, expect, it } from 'vitest';
import { interfaceRows } from '../model/interface-rows.ts';
import { type CheckProfile, checkProfiles, checkTopics } from '../model/check-choices.ts';
import { checkBudgetFor, checkRequests, checkTable, isFree, requestsFor } from './check-table.ts';
import { exemptedIds, exemptionOf } from './profiles.ts';

const checkedRows = new Set(checkTable.flatMap(({ rows }) => rows));
const requestIds = new Set(checkRequests.map(({ id }) => id));

describe('the table of checks covers the specification', () => {
  it('has a check, or a reason why there is none, for each row', () => {
    const rows = [...interfaceRows.values()];
    expect(rows).toHaveLength(117);
    expect(rows.filter(({ id, unseen }) => !checkedRows.has(id) && !unseen)).toEqual([]);
  });

  it('names only rows that the specification has, and no row both as checked and as unseen', () => {
    expect([...checkedRows].filter((id) => !interfaceRows.has(id))).toEqual([]);
    expect([...checkedRows].filter((id) => interfaceRows.get(id)?.unseen !== null)).toEqual([]);
  });
});

describe('the table of checks', () => {
  it('has each id once', () => {
    const ids = checkTable.map(({ id }) => id);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    expect(requestIds.size).toBe(checkRequests.length);
  });

  it('refers only to requests that it has, and has a check for every topic', () => {
    const named = checkTable.flatMap(({ needs, uses }) => [...needs, ...uses]);
    expect(named.filter((id) => !requestIds.has(id))).toEqual([]);
    expect(new Set(checkTable.map(({ topic }) => topic))).toEqual(new Set(checkTopics));
    expect(requestsFor(checkTable)).toEqual(checkRequests);
  });

  it('needs only what has a check that says whether it was answered as wanted', () => {
    const gates = checkTable.filter(({ isGate }) => isGate).map(({ id }) => id);
    expect(checkTable.flatMap(({ needs }) => needs).filter((id) => !gates.includes(id))).toEqual(
      [],
    );
  });

  it('names no topic like a check', () => {
    const topics: readonly string[] = checkTopics;
    // A topic chooses the checks of its name, too.
    const alike = checkTable.filter(({ id, topic }) => topics.includes(id) && id !== topic);
    expect(alike).toEqual([]);
  });

  it('has every check that a profile exempts', () => {
    const ids = checkTable.map(({ id }) => id);
    const unknown = exemptedIds().filter((pattern) =>
      pattern.endsWith('*')
        ? !ids.some((id) => id.startsWith(pattern.slice(0, -1)))
        : !ids.includes(pattern),
    );
    expect(unknown).toEqual([]);
    // Ids of two profiles are among them.
    expect(exemptedIds()).toEqual(expect.arrayContaining(['headers.*', 'root-*']));
  });

  it('has profiles that exempt a temperature above the range in streams, too', () => {
    const isExempt = (profile: CheckProfile, id: string) => exemptionOf(profile, id) !== null;
    for (const profile of checkProfiles)
      expect([profile, isExempt(profile, 'stream-refused')]).toEqual([
        profile,
        isExempt(profile, 'temperature-above'),
      ]);
  });

  it('sends fewer requests with a valid key below the address than a minute allows', () => {
    const counted = checkRequests.filter(
      ({ key, base, onlyIfRefused }) =>
        key === 'valid' && base === 'versioned' && onlyIfRefused === null,
    );
    expect(counted.length).toBeLessThanOrEqual(60);
  });

  it('costs at most what its requests ask for, and knows which of them are free', () => {
    expect(checkBudgetFor(checkRequests)).toMatchInlineSnapshot(`
      {
        "audioCost": 12200,
        "audioSeconds": 80,
        "characters": 280,
        "inputTokens": 970,
        "more": 13,
        "outputTokens": 600,
        "requests": 67,
      }
    `);
    const priced = checkRequests.filter((request) => !isFree(request));
    expect([checkRequests.length, priced.length]).toMatchInlineSnapshot(`
      [
        80,
        34,
      ]
    `);
    expect(checkBudgetFor(checkRequests.filter(isFree))).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
      characters: 0,
      audioSeconds: 0,
      audioCost: 0,
    });
  });
});
