// @full 900 s: 200 seeds in place of 5
import { testUsageOver } from './usage-seeds.fixture.ts';

testUsageOver(200);
