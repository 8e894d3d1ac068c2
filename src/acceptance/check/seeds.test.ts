// @long 30 s
import { itReportsNothingOver } from './check-seeds.fixture.ts';

itReportsNothingOver(25);
