import type { Plugin } from '@oxlint/plugins';
import { walls } from './walls.ts';
import { world } from './world.ts';

const plugin: Plugin = { meta: { name: 'weir' }, rules: { walls, world } };

export default plugin;
