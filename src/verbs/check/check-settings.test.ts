import { describe, expect, it } from 'vitest';
import { selectChecks } from './check-settings.ts';
import { checkTable } from './suite/check-table.ts';

type Given = Parameters<typeof selectChecks>[0];
const select = (given: Partial<Given> = {}) =>
  selectChecks({
    profile: undefined,
    only: undefined,
    skip: undefined,
    noCost: false,
    timeout: undefined,
    ...given,
  });
const idsOf = (given: Partial<Given>): readonly string[] =>
  select(given).checks.map(({ id }) => id);

describe('the choice of checks', () => {
  it('is of all usual ones, each answer within 45 seconds', () => {
    const { checks, profile, timeout, requests } = select();
    expect([checks, profile, timeout]).toEqual([checkTable, 'spec', 45_000]);
    expect(requests.length).toBeGreaterThan(60);
  });

  it('is of named ones and of topics, without those that are skipped', () => {
    expect(idsOf({ only: 'chat.id, chat.total,' })).toEqual(['chat.id', 'chat.total']);
    expect(idsOf({ only: 'versioning' })).toEqual(['root-models', 'root-chat']);
    expect(idsOf({ only: 'versioning', skip: 'root-chat' })).toEqual(['root-models']);
    expect(idsOf({ skip: 'versioning' })).not.toContain('root-chat');
    expect(idsOf({ only: 'disconnects' })).toHaveLength(3);
    expect(select({ only: 'chat.id' }).requests.map(({ id }) => id)).toEqual(['chat']);
  });

  it('is of those without cost if only such are wanted', () => {
    const { checks, requests } = select({ noCost: true });
    const ids = checks.map(({ id }) => id);
    expect(ids).toContain('unknown-key-chat');
    expect(ids).toContain('error-body.401');
    expect(ids).not.toContain('chat');
    expect(ids).not.toContain('chats.finish');
    expect(requests.every(({ cost }) => cost.outputTokens === 0)).toBe(true);
    expect(() => select({ noCost: true, only: 'chat' })).toThrow(
      /leave no check: expected at least/,
    );
  });

  it.each([
    [{ only: 'chta.id' }, /^--only: expected checks or topics.*; got chta.id; .*chat\.id/],
    [{ skip: ' , ' }, /^--skip: expected checks or topics.*; got none$/],
    [{ profile: 'spek' }, /^--profile: expected one of spec.*; got spek; .*spec/],
    [{ headerFamily: 'openay' }, /^--header-family: expected one of .*; got openay; .*openai/],
    [{ timeout: '99ms' }, /timeout/],
    [{ timeout: '601s' }, /timeout/],
  ])('refuses %j', (given, message) => {
    expect(() => select(given)).toThrow(message);
  });

  it('takes the shortest and the longest time for an answer', () => {
    expect(select({ timeout: '100ms' }).timeout).toBe(100);
    expect(select({ timeout: '10m' }).timeout).toBe(600_000);
    expect(select({ headerFamily: 'openai' }).checks).toHaveLength(checkTable.length);
  });
});
