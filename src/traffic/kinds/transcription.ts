import { routes } from '../../contract/routes.ts';
import type { Clip } from '../../model/workload/clip.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { TrafficHandler } from '../traffic-handler.ts';
import { type EncodedForm, encodeForm } from '../request/multipart.ts';
import { readTranscript } from './transcript.ts';

/** Speech to text (interface 4.4). */
export const transcription: TrafficHandler<'transcription'> = {
  prepare: (traffic, { draw, clips }) => {
    const clip = draw.pick(traffic.clips.flatMap((source) => clips.clipsOf(source)));
    const { contentType, body } = formFor(clip, traffic);
    return {
      request: {
        ...routes.transcription,
        headers: { 'content-type': contentType, accept: '*/*', 'accept-encoding': 'identity' },
        body,
      },
      read: (context) => readTranscript(context, clip, traffic),
    };
  },
};

const fieldsOf = ({
  model,
  language,
  format,
  granularities,
}: TrafficOf<'transcription'>): readonly (readonly [string, string])[] => [
  ['model', model],
  ...(language === null ? [] : [['language', language] as const]),
  ['response_format', format],
  ...granularities.map((each) => ['timestamp_granularities[]', each] as const),
];

/** Forms are as large as their clips, so each is made once. */
const forms = new WeakMap<Clip, Map<string, EncodedForm>>();

const formFor = (clip: Clip, traffic: TrafficOf<'transcription'>): EncodedForm => {
  const fields = fieldsOf(traffic);
  const key = JSON.stringify(fields);
  const known = forms.get(clip) ?? new Map<string, EncodedForm>();
  forms.set(clip, known);
  const form = known.get(key) ?? encodeForm({ fields, file: { field: 'file', ...clip } });
  known.set(key, form);
  return form;
};
