import {
  type Answers,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { auditOf, orHiddenTools, whyToolsHide } from './usage-counts.ts';
import { comparedIds, directId } from './usage-requests.ts';

/**
 * This file compares the reported tokens of requests that are sent both through the gateway and directly to the model.
 */

/** Compares the cached tokens of a prompt that was sent twice through the gateway and twice directly to the model. */
const judgeDirectCache = (answers: Answers): Judged | null => {
  const id = 'usage-again';
  const [direct, through] = [directId(id), id].map((each) => auditOf(answers, each));
  if (typeof direct !== 'object' || typeof through !== 'object') return null;
  const { cached: known = 0 } = direct.usage.classes;
  const { cached: passed } = through.usage.classes;
  if (known <= (passed ?? 0)) return null;
  const observed = `${passed ?? 'no'} cached tokens through the gateway, and ${known} without it`;
  // Behind a gateway, another server with an empty cache may have answered. So fewer cached tokens are no mistake.
  return passed === undefined ? deviation('cached-not-passed-on', observed) : open(observed);
};

export const judgeDirect = (answers: Answers): Judged => {
  const seen: string[] = [];
  let reason = 'no address of the model without the gateway is known (--direct URL)';
  for (const id of comparedIds) {
    const direct = auditOf(answers, directId(id));
    const through = auditOf(answers, id);
    if (typeof direct === 'string' || typeof through === 'string') {
      const why = [direct, through].find((each) => typeof each === 'string');
      if (answers.of(directId(id)) !== null) reason = why ?? reason;
      continue;
    }
    if (through.input === direct.input) {
      seen.push(`${through.input}`);
      continue;
    }
    const tooled = [through, direct].find(({ serverTool }) => serverTool !== null);
    if (tooled !== undefined) {
      reason = whyToolsHide(tooled);
      continue;
    }
    const observed = `${id}: ${through.input} prompt tokens through the gateway, and ${direct.input} without it`;
    return {
      ...violation(through.input > direct.input ? orHiddenTools(observed) : observed),
      bounds: { of: 'input', reported: through.input, least: direct.input, most: direct.input },
    };
  }
  if (seen.length === 0) return unchecked(reason);
  return judgeDirectCache(answers) ?? pass(`${seen.join(', ')} on both ways`);
};
