// @long 100 s
import { stoppingRuleSuite } from './long-stopping-rule.fixture.ts';

stoppingRuleSuite(0.5);
