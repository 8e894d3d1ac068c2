import type { ResponseClass } from '../../model/gateway/mock-limits.ts';
import type { RouteName } from '../counters/mock-counters.ts';

/** What a response is, for the question whether it bears limit headers. */
export const responseClassOf = (
  route: RouteName,
  status: number,
  contentType: string,
): ResponseClass => {
  if (status === 429) return 'limited';
  if (status >= 400) return 'refused';
  return route === 'chat' && contentType.startsWith('text/event-stream') ? 'chat-stream' : route;
};
