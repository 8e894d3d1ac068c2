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
 * Matches the name of a limit's owner in the headers (`descriptor`) if the owner is a single key or user, or a model of
 * a single key or user. Does not match a team. The names are those of LiteLLM and of the interface.
 */
const ownsAlone =
  /^(?:x-|per[_-]|\w+_per_)?(?:(?:api|virtual)[_-]?key|key|(?:end[_-]?)?user|customer|consumer|team[_-]?member)(?:[_-]id)?$/i;

/**
 * The family of headers whose limits always belong to one key. The descriptor of such a limit names a model, so it does
 * not show the owner.
 */
const familyOfKeys = 'litellm-key';

/** Removes the reported limits of single keys, since such limits do not show the remaining amount of a team. */
export const limitsOfTeam = <Reply extends Pick<ProbeReply, 'told'>>(reply: Reply): Reply => ({
  ...reply,
  told: reply.told.filter(
    ({ profile, descriptor }) =>
      profile !== familyOfKeys && (descriptor === null || !ownsAlone.test(descriptor)),
  ),
});
