// A log as a company of a few hundred people leaves it behind in two years: the same events every time, each made from its number
// alone, so that any part of them can be made anew.
import type { EventType, PublishedEvent } from '@yardarm/shared/contracts/events';

const environments = ['development', 'staging', 'production'];

/** How often each type stands in a thousand events: mostly what happens to flags every day, some people, a few rare ones. */
const sharesOfTypes: readonly (readonly [EventType, number])[] = [
  ['feature-environment-enabled', 190],
  ['feature-environment-disabled', 130],
  ['feature-strategy-update', 230],
  ['feature-strategy-add', 110],
  ['feature-strategy-remove', 40],
  ['feature-created', 60],
  ['feature-metadata-updated', 80],
  ['feature-tagged', 40],
  ['feature-stale-on', 20],
  ['feature-archived', 30],
  ['segment-updated', 20],
  ['user-created', 10],
  ['user-updated', 15],
  ['api-token-created', 10],
  ['project-access-updated', 10],
  ['addon-config-updated', 4],
  ['project-created', 1],
];

/** A number in [0, 1) that depends on the two alone and looks like chance (mulberry32, one step). */
function chance(n: number, salt: number): number {
  let state = (Math.imul(n, 0x9e3779b1) + Math.imul(salt, 0x85ebca6b)) | 0;
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** One of `count`, the first ones far more often than the last, as with flags and projects everywhere. */
const popular = (n: number, salt: number, count: number) => Math.floor(count * chance(n, salt) ** 3);

const syllables = ['ka', 'ro', 'mi', 'te', 'lu', 'sha', 'po', 'ven', 'dri', 'al', 'nor', 'ex'];

/** One of 1,728 words. */
const word = (index: number) =>
  [index, index / 12, index / 144].map((part) => syllables[Math.floor(part) % syllables.length]).join('');

const words = (n: number, count: number) =>
  Array.from({ length: count }, (_, at) => word(popular(n, 100 + at, 1_728))).join(' ');

function typeOf(n: number): EventType {
  let left = chance(n, 1) * 1_000;
  for (const [type, share] of sharesOfTypes) {
    left -= share;
    if (left < 0) return type;
  }
  return 'feature-created';
}

/** The flag of an event; the flags of a project are found by their number. */
const flagOf = (n: number) => popular(n, 2, 1_000);

/** Flags 0, 20, 40 and so on are the default project's. */
const projectOf = (flag: number) => (flag % 20 === 0 || flag % 3 === 0 ? 'default' : `team-${flag % 20}`);

function strategy(n: number) {
  return {
    id: `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`,
    name: 'flexibleRollout',
    title: words(n, 3),
    disabled: false,
    parameters: { rollout: String(n % 101), stickiness: 'default', groupId: `flag-${flagOf(n)}` },
    constraints: [
      { contextName: 'country', operator: 'IN', values: ['no', 'se', 'dk'], caseInsensitive: false, inverted: false },
    ],
    variants: [],
    segments: [],
  };
}

function flag(n: number) {
  return {
    name: `flag-${flagOf(n)}`,
    // A ticket's number is what somebody looks for that finds one event.
    description: `${words(n, 8)} (SHOP-${n})`,
    type: 'release',
    project: projectOf(flagOf(n)),
    stale: false,
    impressionData: n % 5 === 0,
    archived: false,
  };
}

function dataOf(n: number, type: EventType): Pick<PublishedEvent, 'data' | 'preData'> {
  if (type === 'feature-strategy-update') return { data: strategy(n), preData: strategy(n - 1) };
  if (type === 'feature-strategy-add') return { data: strategy(n), preData: null };
  if (type === 'feature-strategy-remove') return { data: null, preData: strategy(n) };
  if (type === 'feature-created') return { data: flag(n), preData: null };
  if (type === 'feature-metadata-updated') return { data: flag(n), preData: flag(n - 1) };
  if (type === 'feature-tagged') return { data: { type: 'simple', value: word(n % 1_728) }, preData: null };
  if (type.startsWith('feature-')) return { data: null, preData: null };
  return { data: { id: n, name: words(n, 2), email: `${word(n % 1_728)}@example.com` }, preData: null };
}

const start = Date.parse('2024-01-01T00:00:00Z');
/** A million of them in two years. */
const millisecondsBetween = 63_000;

/** The nth event, from 1. */
export function generatedEvent(n: number): PublishedEvent {
  const type = typeOf(n);
  const isOfFlag = type.startsWith('feature-');
  const isOfProject = isOfFlag || type.startsWith('project-');
  const isOfEnvironment = /environment|strategy/.test(type);
  const user = popular(n, 3, 300) + 1;
  return {
    eventId: `018d0000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`,
    version: 1,
    source: isOfFlag ? 'flags' : 'accounts',
    type,
    createdAt: new Date(start + n * millisecondsBetween).toISOString(),
    createdBy: `${word(user)}@example.com`,
    createdByUserId: user,
    createdByUsername: word(user),
    environment: isOfEnvironment ? environments[n % environments.length]! : null,
    project: isOfProject ? projectOf(flagOf(n)) : null,
    featureName: isOfFlag ? `flag-${flagOf(n)}` : null,
    ...dataOf(n, type),
    tags: n % 4 === 0 ? [{ type: 'simple', value: word(n % 50) }] : [],
    requestId: null,
    traceparent: null,
  };
}
