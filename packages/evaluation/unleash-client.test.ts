// unleash-client is the reference: it evaluates the same flags with the same contexts and random numbers.
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { compileFlags, type FlagDefinition, type SegmentDefinition } from './index.ts';
import { arbitraryContext, arbitraryFeatures, arbitrarySegments } from './testing/arbitrary-flags.ts';

type Client = typeof import('unleash-client/lib/client.js');
type Strategies = typeof import('unleash-client/lib/strategy/index.js');

const require = createRequire(import.meta.url);
const { default: UnleashClient } = require('unleash-client/lib/client.js') as Client;
const { defaultStrategies } = require('unleash-client/lib/strategy/index.js') as Strategies;

/** The strategy has read the name of the host from its process. */
const applicationHostname = defaultStrategies.find(({ name }) => name === 'applicationHostname');
Object.assign(applicationHostname!, { hostname: 'here' });

class Repository extends EventEmitter {
  readonly #features: readonly FlagDefinition[];
  readonly #segments: readonly SegmentDefinition[];

  constructor(features: readonly FlagDefinition[], segments: readonly SegmentDefinition[]) {
    super();
    this.#features = features;
    this.#segments = segments;
  }

  getToggle = (name: string) => this.#features.find((feature) => feature.name === name);
  getSegment = (id: number) => this.#segments.find((segment) => segment.id === id);
}

afterEach(() => vi.restoreAllMocks());

test('agrees with unleash-client on random flags and contexts', () => {
  // A number for both: the results are equal only if they are computed from it alike.
  let number = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => number);
  const results = { on: 0, off: 0, variants: 0 };
  fc.assert(
    fc.property(
      arbitraryFeatures,
      arbitrarySegments,
      fc.array(arbitraryContext, { minLength: 1, maxLength: 5 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (features, segments, contexts, random) => {
        number = random;
        const ours = compileFlags({ features, segments }, { random: () => number, hostname: 'here' });
        const theirs = new UnleashClient(new Repository(features, segments) as never, defaultStrategies);
        for (const { name } of features) {
          for (const context of contexts) {
            const { enabled, variant } = ours.evaluate(name, context, Date.now());
            expect(enabled).toBe(theirs.isEnabled(name, context as never, () => false));
            expect(variant).toEqual(theirs.getVariant(name, context as never));
            expect(ours.evaluateWithReasons(name, context, Date.now())?.evaluation).toEqual({ enabled, variant });
            results[enabled ? 'on' : 'off'] += 1;
            results.variants += variant.enabled ? 1 : 0;
          }
        }
      },
    ),
    // Ten thousand evaluations, a few seconds.
    { numRuns: 1000 },
  );
  // Flags that are nearly always off would agree by themselves.
  expect(results.on).toBeGreaterThan(results.off / 10);
  expect(results.variants).toBeGreaterThan(results.on / 10);
});
