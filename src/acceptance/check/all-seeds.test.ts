// @full 250 s: 200 seeds in place of 25
import { itReportsNothingOver } from './check-seeds.fixture.ts';

itReportsNothingOver(200);
