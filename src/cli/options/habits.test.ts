import { expect, it } from 'vitest';
import { habitAdvice } from './habits.ts';

/** The options of `weir run` that habits need. */
const options = Object.fromEntries(
  'target kind rate users duration key model prompt maxTokens set out quiet scenario details requests yes workers csv json timeout scenario seed'
    .split(' ')
    .map((name) => [name, {}]),
);
const advice = (words: string): string | null => {
  const [, dashes = '', name = '', value] = /^(--?)([^=]+)(?:=(.*))?$/.exec(words) ?? [];
  return habitAdvice({ dashes, name, value, hasScenario: false }, options);
};

it.each([
  // As k6, vegeta, hey, wrk, Locust, GuideLLM, AIPerf and vLLM's bench call them.
  ['--num-warmups=5', '--set warmUp=10s'],
  ['--warmup-request-count=5', '--set warmUp=10s'],
  ['--ramp-up-strategy=linear', 'load: { kind: ramping'],
  ['--stage=10s:5', 'load: { kind: ramping'],
  ['--spawn-rate=2', '--set load.rampUp=10s'],
  ['--ignore-eos', '--set body.ignore_eos=true'],
  ['--extra-body={}', '--set body.NAME=VALUE'],
  ['--temperature=0', 'traffic.0.temperature=0'],
  ['--disable-keepalive', '--set wire.reuse=false'],
  ['--timeout=30', '--set deadlines.total=30s'],
  ['--prompt-file=mine.jsonl', 'prompt={file: mine.jsonl}'],
  ['--goodput=ttft:500', 'objectives=['],
  ['--max-error-rate=0.1', 'abort: {after: 30s}'],
  ['--headless', 'leave it out'],
  ['--dry-run', '`weir plan`'],
  ['--locustfile=a.py', 'write a.py'],
  ['--percentile-metrics=ttft', 'result.json and report.html'],
  ['--isl=100', ''],
])('%s of another tool is answered with what Weir has: %s', (words, said) => {
  expect(advice(words)).toContain(said);
  expect(advice(words)).not.toBe('');
  // As other tools write it, too.
  expect(advice(words.toUpperCase().replace(/=.*/, ''))).not.toBeNull();
});

it('a name that no tool has, or for which a verb has nothing, has no advice', () => {
  expect(advice('--frobnicate')).toBeNull();
  expect(
    habitAdvice({ dashes: '--', name: 'ignore-eos', value: '', hasScenario: false }, {}),
  ).toBeNull();
  // One letter is an option with one dash.
  expect(advice('--p=x')).toBeNull();
  expect(advice('-p=x')).toBe('write --prompt x');
});

it('what stands in for a scenario is set beside one by its key', () => {
  const beside = { dashes: '--', name: 'rps', value: '5', hasScenario: true };
  expect(habitAdvice(beside, options)).toBe('write --set load.rate=5/s');
  expect(habitAdvice({ ...beside, value: '5/s' }, options)).toBe('write --set load.rate=5/s');
});
