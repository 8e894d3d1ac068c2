// What this imports is read once in each worker; this file itself, before each file of tests.
import './seed.ts';
import './quick-imports.ts';
