// @long 60 s
import { testUsageOver } from './usage-seeds.fixture.ts';

testUsageOver(5);
