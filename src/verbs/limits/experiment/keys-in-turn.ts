import type { ProbeReply } from '../../../model/limits/limit-log.ts';

/** Creates a function that returns the key of the next request. The keys of a team take turns. */
export const keysInTurn = (first: string, second: string | undefined): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return second === undefined || count % 2 === 1 ? first : second;
  };
};

/**
 * Matches the owner that a header names (`descriptor`) if it is a key, a user, a model of a key or a model of a user,
 * and not a team (names of LiteLLM and of the interface).
 */
const ownsAlone =
  /^(?:x-|per[_-]|\w+_per_)?(?:(?:api|virtual)[_-]?key|key|(?:end[_-]?)?user|customer|consumer|team[_-]?member)(?:[_-]id)?$/i;

/** The family of headers whose limits always belong to one key. The descriptor of such a limit is a model. */
const familyOfKeys = 'litellm-key';

/** Removes the reported limits of single keys, since such limits do not show the remaining amount of a team. */
export const limitsOfTeam = <Reply extends Pick<ProbeReply, 'told'>>(reply: Reply): Reply => ({
  ...reply,
  told: reply.told.filter(
    ({ profile, descriptor }) =>
      profile !== familyOfKeys && (descriptor === null || !ownsAlone.test(descriptor)),
  ),
});
