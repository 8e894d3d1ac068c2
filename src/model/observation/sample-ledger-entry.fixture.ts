import type { LedgerEntry } from './ledger.ts';

/** Test support: the columns of a chat for which the server reported nothing but instants and the status. */
export const blankChatColumns: Omit<LedgerEntry, 'sent' | 'answered' | 'ended' | 'status'> = {
  limitRequests: null,
  remainingRequests: null,
  limitTokens: null,
  remainingTokens: null,
  traffic: 'chat',
  tokens: null,
  unit: null,
  form: null,
  retryAfter: null,
  resetIn: null,
  input: null,
  cached: null,
  characters: null,
  maxTokens: null,
};
