import { expect, it } from 'vitest';
import { problemsText } from '../text/scenario-problem.ts';
import { readScenario } from '../read-scenario.ts';

const read = (text: string) => readScenario({ text, name: 'f.yaml', environment: {} });
const problemsOf = (text: string): string => {
  const reading = read(text);
  return reading.ok ? '' : problemsText(reading.problems, 'f.yaml');
};

const load = 'load: {kind: saturate, duration: 10s}\n';
const validText = `traffic: [{kind: models}, {kind: chat, model: a/b}]\n${load}`;

it('a load that saturates the target has a hundred connections by default', () => {
  const reading = read(`${validText}workers: auto\n`);
  expect(reading.ok && reading.plan.stages[0]?.load).toEqual({
    kind: 'saturate',
    connections: 100,
    duration: 10_000,
  });
});

it.each(['maybe', '7', 'no'])('http2 that is %s is no conflict with such a load', (value) => {
  expect(problemsOf(`${validText}wire: {http2: ${value}}\n`)).not.toContain('cannot be combined');
});

it('every option that a saturating load does not support is refused with its reason, all of them at once', () => {
  const text = `traffic: [{kind: chat-stream, model: a/b}, {kind: transcription, model: w}, {kind: speech, model: s}]
load: {kind: saturate, duration: 10s, connections: 20}
inFlight: 10
pace: {tokens: none}
retry: {attempts: 3}
budget: {requests: 5}
workers: 2
transport: undici
wire: {http2: true}
`;
  expect(problemsOf(text)).toMatchInlineSnapshot(`
    "f.yaml:1:18: a load of the kind "saturate" sends chat and models only, because autocannon reads answers whole and uploads no files; got "chat-stream"; choose another kind of traffic, or use the load "closed"
    f.yaml:1:51: a load of the kind "saturate" sends chat and models only, because autocannon reads answers whole and uploads no files; got "transcription"; choose another kind of traffic, or use the load "closed"
    f.yaml:1:84: a load of the kind "saturate" sends chat and models only, because autocannon reads answers whole and uploads no files; got "speech"; choose another kind of traffic, or use the load "closed"
    f.yaml:2:52: 20 connections are more than "inFlight" allows (10); lower the connections or raise "inFlight"
    f.yaml:4:1: "pace" cannot be combined with a load of the kind "saturate": a pace makes requests wait, and this load never waits; leave "pace" out, or use the kind "closed"
    f.yaml:5:1: "retry" cannot be combined with a load of the kind "saturate": autocannon cannot send one request again later; leave "retry" out, or use the kind "closed"
    f.yaml:6:1: "budget" cannot be combined with a load of the kind "saturate": this load reserves nothing before it sends a request, so no budget could be kept; leave "budget" out, or use the kind "closed"
    f.yaml:7:1: "workers" cannot be combined with a load of the kind "saturate": autocannon runs in one thread here; leave "workers" out, or use the kind "closed"
    f.yaml:8:1: "transport" cannot be combined with a load of the kind "saturate": autocannon has its own transport; leave "transport" out, or use the kind "closed"
    f.yaml:9:8: "http2" cannot be combined with a load of the kind "saturate": autocannon supports HTTP/1.1 only; leave "http2" out, or use the kind "closed""
  `);
});

it('a saturating load cannot be combined with other stages', () => {
  const stages = `stages:
  - { name: warm, load: {kind: constant, rate: 5/s, duration: 10s} }
  - { name: hot, load: {kind: saturate, duration: 10s} }
`;
  expect(problemsOf(`traffic: [{kind: models}]\n${stages}`)).toMatchInlineSnapshot(
    `"f.yaml:4:31: a load of the kind "saturate" must be the only stage of a run, and there are 2 stages; put it into a scenario of its own, or use the kind "closed""`,
  );
  const alone = 'stages: [{ name: hot, load: {kind: saturate, duration: 10s} }]\n';
  expect(problemsOf(`traffic: [{kind: models}]\n${alone}`)).toBe('');
});
