import type { ESTree, Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';

/** Where the code runs for each request. */
const hotRooms = [
  'engine',
  'traffic',
  'record',
  'platform/socket',
  ...['chat', 'gateway', 'http', 'limits', 'serving'].map((room) => `mock/${room}`),
];

const isFunction = ({ type }: ESTree.Expression): boolean =>
  type === 'ArrowFunctionExpression' || type === 'FunctionExpression';

/**
 * Rejects a function written straight into the assignment of a property, and a getter in an object literal. V8 allocates
 * them among the old objects ("pretenured", since it expects a prototype's methods there), where they and whatever they can reach survive
 * all collections of young objects. If one is made for each request, those collections take three times as long.
 */
export const youngClosures: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    const isHot = place !== null && hotRooms.some((room) => place.startsWith(`${room}/`));
    if (!isHot || /\.(test|fixture)\.ts$/.test(place)) return {};
    const message =
      'V8 keeps such a function, and all that it can reach, until the next collection of old objects. Assign a variable that holds the function, or write a class.';
    return {
      AssignmentExpression: (node) => {
        if (node.left.type === 'MemberExpression' && isFunction(node.right))
          context.report({ node, message });
      },
      Property: (node) => {
        if (node.kind === 'get') context.report({ node, message });
      },
    };
  },
};
