import { describe, expect, it } from 'vitest';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { type TokenKind, tokenKinds } from '../model/token-log.ts';
import type { ChargeRow, TokenReport } from '../model/token-report.ts';
import { tokensDocument } from './tokens-document.ts';

const reportOf = (charges: readonly ChargeRow[]): TokenReport => ({
  format: 'token-limits/1',
  weir: '0.1.0',
  target: 'http://127.0.0.1:8080/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  model: 'm',
  took: 60_000,
  log: {
    rule: { tokens: 20_000, requests: 60, window: 60_000 },
    replies: [],
    charactersPerToken: null,
    isQuick: false,
    context: null,
    cut: null,
  },
  findings: {
    verdict: 'undecided',
    reasons: ['nothing was sent'],
    checks: [],
    charges,
    bursts: [],
    chargedAt: null,
    atOnce: null,
  },
});

const charge = (kind: TokenKind, changes: Partial<ChargeRow> = {}): ChargeRow => ({
  kind,
  status: 200,
  prompt: 1234,
  used: 1300,
  charge: 1310,
  words: 'its usage',
  ...changes,
});

describe('the charges in a report on a limit of tokens', () => {
  const kinds = Object.keys(tokenKinds) as readonly TokenKind[];
  const document = tokensDocument(reportOf(kinds.map((kind) => charge(kind))));

  it.each(kinds)('say what was sent as %s, where there is room', (kind) => {
    const row = markdownText(document)
      .split('\n')
      .find((line) => line.startsWith(`| ${kind} |`));
    expect(row).toContain(tokenKinds[kind]);
    expect(terminalText(document, { colour: false, width: 120 })).not.toContain(tokenKinds[kind]);
  });

  it('have a dash for what is not known', () => {
    const unknown = charge('cut-sent', { status: 0, used: null, charge: null, words: 'unknown' });
    const row = markdownText(tokensDocument(reportOf([unknown])))
      .split('\n')
      .find((line) => line.startsWith('| cut-sent |'));
    expect(row?.split('|').map((cell) => cell.trim())).toEqual([
      '',
      'cut-sent',
      '–',
      '1,234',
      '–',
      '–',
      'unknown',
      tokenKinds['cut-sent'],
      '',
    ]);
  });

  it('are none if nothing was charged', () => {
    expect(markdownText(tokensDocument(reportOf([])))).toContain('Nothing shows what was charged.');
  });
});
