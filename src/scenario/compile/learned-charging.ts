import { z } from 'zod';
import { type LearnedCharging, learnedChargingSchema } from '../../model/plan/pace.ts';
import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import type { ScenarioPace } from '../schema/pace-schema.ts';

/** The part of the findings of `weir limits --tokens` that a pace needs. */
const findingsSchema = z.object({
  format: z.literal('token-limits/1'),
  findings: z.object({ charging: learnedChargingSchema }),
});

const parsedJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads how a gateway charges from the findings that a pace names; `null` if the pace names none. */
export const readLearnedCharging = (
  { charged }: ScenarioPace,
  files: WorkloadFiles,
): ReadResult<LearnedCharging | null> => {
  if (typeof charged === 'string') return { ok: true, value: null };
  const { file } = charged;
  const text = files.findings(file);
  if (!text.ok) return text;
  const { data } = findingsSchema.safeParse(parsedJson(text.value));
  if (data !== undefined) return { ok: true, value: data.findings.charging };
  const problem = `${file}: expected the token-limits.json of this version of \`weir limits --tokens\``;
  return { ok: false, problem };
};
