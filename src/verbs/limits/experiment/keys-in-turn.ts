import type { ProbeReply } from '../../../model/limits/limit-log.ts';

/** Creates a function that returns the key of the next request: those of a team in turn. */
export const keysInTurn = (first: string, second: string | undefined): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return second === undefined || count % 2 === 1 ? first : second;
  };
};

/** Matches the owners of limits that are no team: one key, one user, a model for one of them (LiteLLM's and the interface's names). */
const ownsAlone =
  /^(?:x-|per[_-]|\w+_per_)?(?:(?:api|virtual)[_-]?key|key|(?:end[_-]?)?user|customer|consumer|team[_-]?member)(?:[_-]id)?$/i;

/** The family whose limits are always those of one key; its descriptor is a model. */
const familyOfKeys = 'litellm-key';

/** Leaves the reported limits of single keys out, which say nothing of what a team has left. */
export const limitsOfTeam = <Reply extends Pick<ProbeReply, 'told'>>(reply: Reply): Reply => ({
  ...reply,
  told: reply.told.filter(
    ({ profile, descriptor }) =>
      profile !== familyOfKeys && (descriptor === null || !ownsAlone.test(descriptor)),
  ),
});
