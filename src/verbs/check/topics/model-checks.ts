import { routes } from '../../../contract/routes.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  checksOf,
  deviation,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { field, fieldChecks, judgeAcceptedJson, oneOf, placesAt } from '../reading/judge-answer.ts';
import { getRequest } from './check-requests.ts';

/** This file checks the list of models (interface, sections 2.1, 2.2 and 4.2). */

const { caseOf, checkOf } = checksOf('models');

/** The request for the list of models. Its answer names the models for all other requests. */
export const modelList: CheckCase = caseOf(
  {
    id: 'models',
    rows: ['4.2.models', '2.1.catalogue', '7.200'],
    expected: 'GET /models answers 200',
    isSerial: true,
    build: () => getRequest(routes.models.path),
  },
  judgeAcceptedJson,
);

const fields = fieldChecks('models', 'models', {
  list: ['2.2.list', 'object', oneOf('list')],
  data: ['2.2.list', 'data', field.array],
  id: ['2.2.id', 'data.*.id', field.filledString],
  object: ['2.2.object', 'data.*.object', oneOf('model')],
  created: ['2.2.created', 'data.*.created', field.timestamp],
  'owned-by': ['2.2.owned_by', 'data.*.owned_by', field.string],
});

/**
 * Returns names of models for the report. Secrets in the names are masked, since a server may give its models any
 * names.
 */
const quoted = (answer: CheckAnswer, ids: readonly string[], between: string): string =>
  ids.map((id) => answer.quote(id)).join(between);

export const modelChecks: readonly Check[] = [
  modelList.check,
  ...fields,
  checkOf(
    'models.form',
    ['2.1.form', '2.1.string'],
    'the id of the chat model, and that of speech-to-text, is publisher/model_name',
    (answer, { chat, transcription }) => {
      const ids = [chat, transcription].filter((id) => id !== null);
      const wrong = ids.filter((id) => !/^[^/\s]+\/\S+$/.test(id));
      if (ids.length === 0) return unchecked('no model was recognised');
      return wrong.length === 0
        ? pass(quoted(answer, ids, ', '))
        : violation(`${quoted(answer, wrong, ', ')} has no publisher`);
    },
  ),
  checkOf(
    'models.audio',
    ['2.1.audio'],
    'the list has a text-to-speech and a speech-to-text model',
    (answer, target) => {
      const kinds = ['speech', 'transcription'] as const;
      const missing = kinds.filter((kind) => target[kind] === null);
      if (missing.length > 0) {
        const which = missing
          .map((kind) => `${kind} (--${kind}-model names it)`)
          .join(', none for ');
        return deviation('no-audio-models', `no model looks like one for ${which}`);
      }
      const ids = kinds.map((kind) => target[kind]!);
      const unlisted = ids.filter((id) => !target.listed.includes(id));
      return unlisted.length === 0
        ? pass(quoted(answer, ids, ', '))
        : deviation('unlisted-models', `the list has no ${quoted(answer, unlisted, ' and no ')}`);
    },
  ),
  checkOf('models.unique', ['2.2.id'], 'no two models have the same id', (answer) => {
    const ids = placesAt(answer.json, 'data.*.id').map(({ value }) => value);
    const doubled = ids.length - new Set(ids).size;
    return doubled === 0
      ? pass(`${ids.length} ids`)
      : deviation('doubled-models', `${doubled} of ${ids.length} ids come more than once`);
  }),
  checkOf(
    'models.content-type',
    ['4.2.models'],
    'the content type of the list is noted',
    (answer) =>
      answer.contentType === 'application/json'
        ? pass(answer.contentType)
        : open(`the content type is ${answer.quote(answer.contentType) || 'missing'}`),
  ),
];
