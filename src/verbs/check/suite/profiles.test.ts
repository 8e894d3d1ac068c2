import { expect, it } from 'vitest';
import { exemptionOf } from './profiles.ts';

it('a finding is expected by its whole id, or by the beginning of one with a star', () => {
  expect(exemptionOf('vllm', 'no-model')).toBe('the one served model answers');
  expect(exemptionOf('vllm', 'no-models')).toBeNull();
  expect(exemptionOf('vllm', 'headers.*')).toBe(exemptionOf('vllm', 'headers.x'));
  expect(exemptionOf('vllm', 'headers.x')).not.toBeNull();
  expect(exemptionOf('vllm', 'header')).toBeNull();
  expect(exemptionOf('llama.cpp', 'root-list')).toBe('every path is also served without /v1');
  expect(exemptionOf('llama.cpp', 'tools-text')).toBe(
    'what the chat template cannot read is a 500',
  );
});

it('the specification exempts nothing', () => {
  for (const id of ['no-model', 'headers.x', 'root-list'])
    expect(exemptionOf('spec', id)).toBeNull();
});
