import { describe, expect, it } from 'vitest';
import { drawFrom } from '../model/draw.ts';
import type { PromptSource } from '../model/prompt-source.ts';
import { instant } from '../model/quantity.ts';
import { samplePlan } from '../model/sample-plan.ts';
import { sampleTrace, sampleTraceLoad } from '../model/sample-trace.ts';
import { openWorkload } from './open-workload.ts';
import type { Dataset } from './read-dataset.ts';

const sha256 = '0'.repeat(64);
const user = (content: string) => ({ role: 'user', content }) as const;
const system = (content: string) => ({ role: 'system', content }) as const;

const dataset: Dataset = {
  facts: { sha256, prompts: 2 },
  entries: [
    { messages: [user('one')], maxTokens: 5 },
    { messages: [system('own'), user('two')], maxTokens: null },
  ],
};
const [stage] = samplePlan().stages;
const plan = { ...samplePlan(), stages: [stage!, { ...stage!, load: sampleTraceLoad }] };
const workload = openWorkload(plan, {
  words: 'a b c d e f g',
  datasetOf: () => dataset,
  traceOf: () => sampleTrace,
});
const ask = (source: PromptSource, index: number, position = 0) =>
  workload.ask(source, { stage: position, index, due: instant(0) }, drawFrom(1, position, index));

describe('what a request asks', () => {
  it('is drawn from a file of prompts, the entry’s system message before what has none of its own', () => {
    const source = { kind: 'dataset', file: 'p.jsonl', sha256, prompts: 2 } as const;
    const asked = new Set(
      Array.from({ length: 30 }, (_, index) =>
        JSON.stringify(ask({ ...source, system: 'common' }, index)),
      ),
    );
    expect([...asked].toSorted().map((text): unknown => JSON.parse(text))).toEqual([
      { messages: [system('common'), user('one')], maxTokens: 5 },
      { messages: [system('own'), user('two')], maxTokens: null },
    ]);
  });

  it('is made up to the length, behind the system message', () => {
    const source = { kind: 'synthetic', tokens: 4, prefix: null, cache: 'avoid' } as const;
    expect(ask({ ...source, system: 's' }, 0)).toEqual({
      messages: [system('s'), user(expect.stringMatching(/^( [a-g]){4}$/) as string)],
      maxTokens: null,
    });
  });

  it('is what the stage’s trace says of the request of that index', () => {
    const asked = ask({ kind: 'trace', system: null }, 2, 1);
    expect(asked).toMatchObject({ messages: [{ role: 'user' }], maxTokens: 3 });
    expect(asked.messages[0]?.content.split(' ')).toHaveLength(1 + sampleTrace.inputTokens(2));
  });

  it('of a trace is nothing in a stage that replays none: such a plan is a defect', () => {
    expect(() => ask({ kind: 'trace', system: null }, 0)).toThrow('stage 0 replays no trace');
  });
});
