// Vitest runs this file before each test file. A failed property names the seed and the path of its counterexample.
import fc from 'fast-check';
import { inject } from 'vitest';

fc.configureGlobal({ seed: inject('propertySeed') });
