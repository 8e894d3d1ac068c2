import {
  type Check,
  type CheckCase,
  caseOf,
  checkAcross,
  checkOf,
  type Judged,
  pass,
  unchecked,
  unlessCutShort,
  violation,
} from '../reading/check-case.ts';
import { judgeAcceptedJson } from '../reading/judge-status.ts';
import { chatTokens, chatWith, contentOf } from './chat-requests.ts';

/** The parameters of a chat at both ends of their ranges (interface 4.1, 8). */

const topic = 'chat-parameters';

const story = [{ role: 'user', content: 'Tell me in one sentence what a river is.' }];

/** Both bounds of all ranges go in two requests; each alone follows only if one of these is refused. */
const bounds = {
  temperature: { rows: ['4.1.temperature', '8.temperature'], low: 0, high: 2 },
  top_p: { rows: ['4.1.top_p', '8.top_p'], low: 0, high: 1 },
  presence_penalty: { rows: ['4.1.presence_penalty', '8.penalties'], low: -2, high: 2 },
  frequency_penalty: { rows: ['4.1.frequency_penalty', '8.penalties'], low: -2, high: 2 },
  top_k: { rows: ['4.1.top_k'], low: 1, high: 100 },
  stop: { rows: ['4.1.stop', '8.stop'], low: 'e', high: ['e', 'a', 'o', 'i'] },
  stream: { rows: ['4.1.stream'], low: false, high: null },
} as const;
type BoundedName = keyof typeof bounds;
const boundedNames = Object.keys(bounds) as readonly BoundedName[];
const ends = ['low', 'high'] as const;
type End = (typeof ends)[number];

const longest = 24;
const atEnd = (end: End): CheckCase =>
  caseOf(
    {
      id: `bounds-${end}`,
      topic,
      rows: ['7.200'],
      expected: `200 with every parameter at its ${end === 'low' ? 'lower' : 'upper'} bound`,
      title: `chat with every parameter at its ${end === 'low' ? 'lower' : 'upper'} bound`,
      cost: chatTokens(longest),
      build: chatWith({
        messages: story,
        max_tokens: longest,
        ...Object.fromEntries(
          boundedNames
            .map((name) => [name, bounds[name][end]] as const)
            .filter(([, value]) => value !== null),
        ),
      }),
    },
    judgeAcceptedJson,
  );

const aloneId = (name: BoundedName, end: End): string => `${name}-${end}`;

const aloneAt = (name: BoundedName, end: End): CheckCase =>
  caseOf(
    {
      id: aloneId(name, end),
      topic,
      rows: bounds[name].rows,
      expected: `200 with ${name} ${JSON.stringify(bounds[name][end])}`,
      title: `chat with ${name} ${JSON.stringify(bounds[name][end])}`,
      cost: chatTokens(8),
      onlyIfRefused: `bounds-${end}`,
      build: chatWith({ [name]: bounds[name][end] }),
    },
    judgeAcceptedJson,
  );

const endsOf = (name: BoundedName): readonly End[] =>
  ends.filter((end) => bounds[name][end] !== null);

/** Whether a parameter is accepted at one end of its range. */
const boundCheck = (name: BoundedName, end: End): Check => {
  const value = JSON.stringify(bounds[name][end]);
  return checkAcross(
    {
      id: `${name}.${end}`,
      topic,
      rows: bounds[name].rows,
      expected: `200 with ${name} ${value}`,
      uses: [`bounds-${end}`, aloneId(name, end)],
    },
    (answers): Judged => {
      const whole = answers.of(`bounds-${end}`);
      if (whole === null) return unchecked('the request was not sent');
      if (judgeAcceptedJson(whole).outcome === 'pass') return pass(`accepted ${value}`);
      const single = answers.of(aloneId(name, end));
      return single === null
        ? unchecked(`the request with all bounds: ${whole.summary}`)
        : unlessCutShort(judgeAcceptedJson)(single);
    },
  );
};

const stopCheck = (end: End, stops: readonly string[]): Check =>
  checkOf(
    {
      id: `stop.${end}-obeyed`,
      topic,
      rows: ['4.1.stop'],
      request: `bounds-${end}`,
      expected: `the answer contains none of ${stops.length === 1 ? 'the one stop sequence' : `the ${stops.length} stop sequences`}`,
    },
    (answer) => {
      const found = stops.filter((stop) => contentOf(answer).includes(stop));
      return found.length === 0
        ? pass('the answer contains none')
        : violation(`the answer contains ${found.map((stop) => JSON.stringify(stop)).join(', ')}`);
    },
  );

/** The requests with all parameters at once. */
export const boundCases: readonly CheckCase[] = ends.map(atEnd);

/** Requests that only a refused one leads to: they are no rows of their own. */
export const boundRequests = boundedNames
  .flatMap((name) => endsOf(name).map((end) => aloneAt(name, end)))
  .map(({ request }) => request);

export const boundChecks: readonly Check[] = [
  ...boundedNames.flatMap((name) => endsOf(name).map((end) => boundCheck(name, end))),
  stopCheck('low', ['e']),
  stopCheck('high', ['e', 'a', 'o', 'i']),
];
