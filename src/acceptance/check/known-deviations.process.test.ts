import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  answers,
  change,
  changeHeaders,
  type ChangeAnswer,
  withJson,
  withText,
} from './change-answers.fixture.ts';
import { findingsIn } from './check-mock.fixture.ts';
import { checkQuietly } from './check-quietly.fixture.ts';
import { type DefectiveGateway, openDefectiveGateway } from './defective-gateway.fixture.ts';

/** What gateways are known for: each is recognised and named, and every other check is decided as before. */

const isCaptions = (text: string): boolean => /-->/.test(text);

/** Puts captions into a document; transcripts in JSON are none. */
const wrap = (document: (text: string) => unknown): ChangeAnswer =>
  change(answers.transcription, (answer) => {
    const text = answer.body.toString();
    return isCaptions(text) ? withJson(answer, 200, document(text)) : answer;
  });

const wrapped = [
  'deviation transcription-srt.plain: wrapped-transcript',
  'deviation transcription-vtt.plain: wrapped-transcript',
];

const limitHeaders = Object.fromEntries(
  ['limit', 'remaining'].flatMap((what) =>
    ['requests', 'tokens'].map((unit) => [`x-ratelimit-api_key-${what}-${unit}`, null]),
  ),
);

const refusedWith = (body: (message: string) => unknown): ChangeAnswer =>
  change(answers.refused, (answer) =>
    answer.status === 400 ? withJson(answer, 400, body('that is wrong')) : answer,
  );

const page = '<html><head><title>404 Not Found</title></head><body>nginx</body></html>';

const known: Readonly<
  Record<string, readonly [changed: ChangeAnswer, findings: readonly string[]]>
> = {
  'captions as a JSON string': [wrap((text) => text), wrapped],
  'captions as the text of an object': [wrap((text) => ({ text })), wrapped],
  'captions as the only field of an object': [wrap((text) => ({ 'html-message': text })), wrapped],
  'a duration in whole seconds': [
    change(answers.transcription, (answer) => {
      const text = answer.body.toString();
      if (!text.startsWith('{')) return answer;
      const document = JSON.parse(text) as { duration?: number };
      return document.duration === undefined
        ? answer
        : withJson(answer, 200, { ...document, duration: Math.floor(document.duration) });
    }),
    ['deviation transcription-json.length: loose-times'],
  ],
  'speech labelled as another format': [
    change(answers.speech, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-type': 'audio/flac' },
    })),
    ['default', 'wav', 'opus', 'fast', 'mp3'].map(
      (name) => `deviation speech-${name}.content-type: mislabelled-speech`,
    ),
  ],
  'no limit headers on streams': [
    changeHeaders(answers.stream, limitHeaders),
    ['deviation headers.stream: no-limit-headers-on-streams'],
  ],
  'errors in the field detail': [
    refusedWith((message) => ({ detail: message })),
    ['deviation error-body.400: detail-error'],
  ],
  'errors without their fields': [
    refusedWith((message) => ({ error: { message } })),
    ['deviation error-body.400: error-without-type-code'],
  ],
  'errors that are a text': [
    refusedWith((message) => ({ error: message })),
    ['deviation error-body.400: flat-error'],
  ],
  'a proxy’s own page for an upload that is too large': [
    change(answers.refused, (answer) =>
      answer.status === 413
        ? { ...withText(answer, page), headers: { 'content-type': 'text/html' } }
        : answer,
    ),
    ['deviation error-body.413: proxy-page'],
  ],
  'a proxy’s own page for a path that is unknown': [
    change(answers.refused, (answer) =>
      answer.status === 404
        ? { ...withText(answer, page), headers: { 'content-type': 'text/html' } }
        : answer,
    ),
    ['deviation unknown-path: proxy-page'],
  ],
};

let gateway: DefectiveGateway;
let before: ReadonlyMap<string, string>;
beforeAll(async () => {
  gateway = await openDefectiveGateway();
  const { rows } = await checkQuietly(gateway.url);
  before = new Map(rows.map(({ id, outcome }) => [id, outcome]));
});
afterAll(() => gateway.close());

describe('weir check names a deviation that is known from the field', () => {
  it.for(Object.entries(known))('%s', async ([, [answer, findings]]) => {
    await gateway.show({ answer });
    const report = await checkQuietly(gateway.url);
    expect(gateway.changed()).toBeGreaterThan(0);
    expect(findingsIn(report)).toEqual(findings);
    const others = report.rows.filter(({ outcome }) => outcome !== 'deviation');
    expect(others.filter(({ id, outcome }) => before.get(id) !== outcome)).toEqual([]);
  });
});
