import type { Plugin } from '@oxlint/plugins';
import { names } from './names.ts';
import { roomSize } from './room-size.ts';
import { walls } from './walls.ts';
import { world } from './world.ts';
import { youngClosures } from './young-closures.ts';

const plugin: Plugin = {
  meta: { name: 'weir' },
  rules: {
    names,
    'room-size': roomSize,
    walls,
    world,
    'young-closures': youngClosures,
  },
};

export default plugin;
