import { type Check, stepsOfNetwork } from './constraint.ts';
import { fieldReader, idOf, type ReadField } from './context.ts';
import { prefixedHash } from './murmur.ts';
import { containsNetwork, parseNetwork } from './network.ts';

/** What an evaluation depends on besides flags, context and time. */
export interface EvaluationHost {
  /** Returns a number from 0 inclusive to 1 exclusive. */
  readonly random: () => number;
  /** The host on which applicationHostname is on. Without a name it is unknown whether it is. */
  readonly hostname: string;
}

type Parameters = Readonly<Record<string, string>>;

const builtIn = new Map<string, (parameters: Parameters, host: EvaluationHost) => Check | null>([
  ['default', () => () => true],
  ['userWithId', userWithId],
  ['flexibleRollout', flexibleRollout],
  ['gradualRolloutUserId', (parameters) => gradualRollout(parameters, ({ userId }) => idOf(userId))],
  ['gradualRolloutSessionId', (parameters) => gradualRollout(parameters, ({ sessionId }) => idOf(sessionId))],
  ['gradualRolloutRandom', gradualRolloutRandom],
  ['remoteAddress', remoteAddress],
  ['applicationHostname', applicationHostname],
]);

/** Prepares a strategy without its constraints. Null for one that only an application can evaluate. */
export function compileStrategy(name: string, parameters: Parameters, host: EvaluationHost): Check | null {
  return builtIn.get(name)?.(parameters, host) ?? null;
}

/**
 * The items between commas, without blanks beside a comma, as in SDKs. Their expression for a comma and its blanks
 * takes time quadratic in the blanks between two items.
 */
function list(text = ''): string[] {
  if (text === '') return [];
  const items = text.split(',');
  return items.map((item, index) => {
    const withoutFirst = index === 0 ? item : item.trimStart();
    return index === items.length - 1 ? withoutFirst : withoutFirst.trimEnd();
  });
}

function userWithId({ userIds }: Parameters): Check {
  const ids = new Set(list(userIds));
  // As in the Node SDK, a number is none of the ids.
  return ({ userId }) => typeof userId === 'string' && ids.has(userId);
}

/** A text is in the same one of 100 buckets of a group in every SDK. */
function isInRollout(groupId: string, percentage: number): (text: string) => boolean {
  const hash = prefixedHash(`${groupId}:`, 0);
  return (text) => (hash(text) % 100) + 1 <= percentage;
}

function flexibleRollout({ rollout, groupId = '', stickiness }: Parameters, { random }: EvaluationHost): Check {
  const isIn = isInRollout(groupId, Number(rollout));
  const read = stickyReader(stickiness || 'default', random);
  return (context, _, budget) => {
    const text = read(context);
    if (text === undefined || text === '') return false;
    budget.spend(text.length);
    return isIn(text);
  };
}

function stickyReader(stickiness: string, random: () => number): ReadField {
  // The numbers of the Node SDK, which hashes a random number as if it were an id.
  const randomId = () => String(Math.round(random() * 10_000) + 1);
  if (stickiness === 'random') return randomId;
  if (stickiness !== 'default') return fieldReader(stickiness);
  return ({ userId, sessionId }) => idOf(userId) ?? idOf(sessionId) ?? randomId();
}

function gradualRollout({ percentage, groupId = '' }: Parameters, read: ReadField): Check {
  const isIn = isInRollout(groupId, Number(percentage));
  return (context, _, budget) => {
    const text = read(context);
    if (text === undefined || text === '') return false;
    budget.spend(text.length);
    return isIn(text);
  };
}

function gradualRolloutRandom({ percentage }: Parameters, { random }: EvaluationHost): Check {
  const share = Number(percentage);
  return () => share >= Math.floor(random() * 100) + 1;
}

/** Equal texts match, whatever they are. Networks are those of IPv4: SDKs compare no other ones here. */
function remoteAddress({ IPs }: Parameters): Check {
  const texts = new Set(list(IPs));
  const networks = [...texts].flatMap((text) => (text.includes(':') ? [] : (parseNetwork(text) ?? [])));
  return ({ remoteAddress }, _, budget) => {
    const text = idOf(remoteAddress);
    if (text === undefined) return false;
    if (texts.has(text)) return true;
    budget.spend(stepsOfNetwork * networks.length);
    const address = parseNetwork(text);
    return address !== null && networks.some((network) => containsNetwork(network, address));
  };
}

function applicationHostname({ hostNames = '' }: Parameters, { hostname }: EvaluationHost): Check | null {
  if (hostname === '') return null;
  const isHere = list(hostNames.toLowerCase()).includes(hostname.toLowerCase());
  return () => isHere;
}
