// @gate 1 s
import { beforeAll, describe, expect, it } from 'vitest';
import { redactor } from '../../model/plan/secret.ts';
import { interfaceRows } from '../../verbs/check/model/interface-rows.ts';
import type { CheckAnswer, ReceivedAnswer } from '../../verbs/check/reading/check-answer.ts';
import type { Answers, Check } from '../../verbs/check/reading/check-case.ts';
import { checkTable } from '../../verbs/check/suite/check-table.ts';
import { answersFrom, judgeChecks } from '../../verbs/check/suite/judge-checks.ts';
import {
  checkAnswerTo,
  type RecordedAnswers,
  recordAnswers,
  recordingKey,
} from './recorded-answers.fixture.ts';

/** Every check is given wrong answers: one that accuses none of them checks nothing. */

/** What no answer to one request shows; the sixty seeded defects have the rest of these. */
const accusingNoAnswer: Readonly<Record<string, string>> = {
  'models.form': 'judges the models that the options name',
  'models.audio': 'judges the models that the options name',
  'models.unique': 'compares ids of one list, of which one is changed at a time',
  'models.content-type': 'only notes what it saw',
  'stream.finish': 'compares two events of one stream',
  'speech-wav.length': 'needs speech that sounds and is too short or too long',
  'speech-fast.speed': 'needs speech that sounds and is too short or too long',
  'transcription-too-large': 'needs an upload of 25 MB',
  'transcription-json.words': 'compares two members of one answer',
  'server-errors': 'only notes what it saw',
};

/** Rows that only those checks see. */
const rowsOfThose = ['2.1.string', '2.1.form', '2.1.audio', '4.4.size', '7.500', '8.size'];

const wrongValues: readonly unknown[] = [undefined, 'odd', -7, 99_999];

/** A JSON text with each of its values replaced or left out, one at a time. */
function* wrongJson(text: string): Generator<string> {
  const whole: unknown = JSON.parse(text);
  let places = 0;
  JSON.stringify(whole, (_, value: unknown) => {
    places += 1;
    return value;
  });
  for (let place = 1; place < Math.min(places, 40); place += 1)
    for (const wrong of wrongValues) {
      let at = place + 1;
      yield JSON.stringify(whole, (_, value: unknown) => {
        at -= 1;
        return at === 0 ? wrong : value;
      });
    }
}

/** A text with each of its lines left out or changed, one at a time. */
function* wrongTexts(text: string): Generator<string> {
  if (text.startsWith('{')) return yield* wrongJson(text);
  const lines = text.split('\n');
  for (const [index, line] of lines.slice(0, 8).entries()) {
    yield lines.toSpliced(index, 1).join('\n');
    yield lines.with(index, line.replaceAll(/\d/g, '9')).join('\n');
    if (!line.startsWith('data: {')) continue;
    for (const wrong of wrongJson(line.slice(6)))
      yield lines.with(index, `data: ${wrong}`).join('\n');
  }
}

function* wrongAnswers(
  received: ReceivedAnswer,
  others: readonly ReceivedAnswer[],
): Generator<ReceivedAnswer> {
  const { headers, body } = received;
  yield* others;
  yield { ...received, encoding: 'gzip' };
  for (const status of [200, 400, 402, 413, 422, 429, 500]) yield { ...received, status };
  yield { ...received, headers: {} };
  for (const name of Object.keys(headers)) {
    const { [name]: _, ...left } = headers;
    yield { ...received, headers: left };
    for (const value of ['odd', '7', '0'])
      yield { ...received, headers: { ...left, [name]: value } };
  }
  for (const wrong of [body.subarray(0, body.length / 2), Buffer.concat([body, body])])
    yield { ...received, body: wrong };
  if (body.length > 20_000) return;
  for (const text of wrongTexts(body.toString())) yield { ...received, body: Buffer.from(text) };
}

const limitHeaders = ['limit-requests', 'remaining-requests', 'limit-tokens', 'remaining-tokens'];

/** What is refused alone only if it is refused beside others, and what is compared between answers. */
const changesOfAll: readonly ((answer: ReceivedAnswer) => ReceivedAnswer)[] = [
  ...[400, 429, 500].map((status) => (answer: ReceivedAnswer) => ({ ...answer, status })),
  ...limitHeaders.map((name) => ({ headers, ...answer }: ReceivedAnswer) => ({
    ...answer,
    headers: { ...headers, [`x-ratelimit-api_key-${name}`]: '7' },
  })),
];

const redact = redactor([recordingKey]);

/** The checks that decide whether the requests of some checks were answered as expected. */
const gatesOf = (checks: readonly Check[]): readonly Check[] => {
  const needed = new Set(checks.flatMap(({ id, needs }) => [id, ...needs]));
  return checkTable.filter(({ id, isGate }) => isGate && needed.has(id));
};

/** The ids of the answers that a check reads; `null` for one that reads all of them. */
const readBy = (check: Check, answers: Answers): ReadonlySet<string> | null => {
  const read = new Set<string>();
  let readsAll = false;
  const everything = (of: 'limited' | 'repeated' | 'all') => ({
    get: () => {
      readsAll = true;
      return answers[of];
    },
  });
  const watched = Object.defineProperties(
    { ...answers, of: (id: string) => (read.add(id), answers.of(id)) },
    { limited: everything('limited'), repeated: everything('repeated'), all: everything('all') },
  );
  judgeChecks([check], gatesOf([check]), watched, 'spec');
  return readsAll ? null : read;
};

const accusingIds = (
  recorded: RecordedAnswers,
): { readonly accusing: ReadonlySet<string>; readonly accusedUnchanged: readonly string[] } => {
  const { requests, received, target } = recorded;
  const answers = new Map<string, CheckAnswer>(
    requests.map((each) => [each.id, checkAnswerTo(each, received.get(each.id)!, target, redact)]),
  );
  const byStatus = Object.values(Object.groupBy(received.values(), ({ status }) => status ?? 0));
  const strangers = byStatus.flatMap((each = []) => each.slice(0, 4));
  const answersWith = (changed: ReadonlyMap<string, ReceivedAnswer>): Answers => {
    const seen = new Map(answers);
    for (const request of requests.filter(({ id }) => changed.has(id)))
      seen.set(request.id, checkAnswerTo(request, changed.get(request.id)!, target, redact));
    const refusals = [...seen.values()];
    return answersFrom(target, {
      answers: seen,
      limited: refusals.filter(({ status }) => status === 429),
      repeated: refusals.filter(({ status }) => status === 500),
    });
  };
  const unchanged = answersWith(new Map());
  const reads = new Map(checkTable.map((check) => [check.id, readBy(check, unchanged)]));
  const accusing = new Set<string>();
  const judge = (table: readonly Check[], all: Answers): void => {
    for (const { id, outcome } of judgeChecks(table, gatesOf(table), all, 'spec'))
      if (outcome === 'violation' || outcome === 'deviation') accusing.add(id);
  };
  // A check that reads none of the changed answers says the same again.
  const judgeChanged = (changed: ReadonlyMap<string, ReceivedAnswer>): void => {
    const isAsked = (read: ReadonlySet<string> | null | undefined): boolean =>
      read === null || [...changed.keys()].some((id) => read?.has(id) === true);
    const table = checkTable.filter(({ id }) => !accusing.has(id) && isAsked(reads.get(id)));
    if (table.length > 0) judge(table, answersWith(changed));
  };
  judge(checkTable, unchanged);
  const accusedUnchanged = [...accusing];
  for (const [id, answer] of received)
    for (const wrong of wrongAnswers(answer, strangers)) judgeChanged(new Map([[id, wrong]]));
  for (const change of changesOfAll)
    judgeChanged(new Map([...received].map(([id, answer]) => [id, change(answer)])));
  return { accusing, accusedUnchanged };
};

describe('the checks of the interface', () => {
  let accusing: ReadonlySet<string>;
  let accusedUnchanged: readonly string[];
  beforeAll(async () => {
    ({ accusing, accusedUnchanged } = accusingIds(await recordAnswers()));
  });

  it('each accuse some wrong answer, and none of those that the reference gateway gives', () => {
    expect(accusedUnchanged).toEqual([]);
    const silent = checkTable.map(({ id }) => id).filter((id) => !accusing.has(id));
    expect(silent).toEqual(Object.keys(accusingNoAnswer));
  });

  it('see every row of the specification that a request can show', () => {
    const seen = new Set(
      checkTable.filter(({ id }) => accusing.has(id)).flatMap(({ rows }) => rows),
    );
    const visible = [...interfaceRows.values()].filter(({ unseen }) => unseen === null);
    expect(visible.map(({ id }) => id).filter((id) => !seen.has(id))).toEqual(rowsOfThose);
  });
});
