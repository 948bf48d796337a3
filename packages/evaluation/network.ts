export interface Network {
  /** In 16 bits each: two of an IPv4 address, eight of an IPv6 address. */
  readonly words: readonly number[];
  /** How many leading bits of the words are those of the network; all bits of an address. */
  readonly prefix: number;
}

const decimal = /^(0|[1-9]\d{0,2})$/;
const group = /^[\da-f]{1,4}$/i;

/** The longest text is an IPv6 address with an IPv4 address at its end and a prefix. */
const maxLength = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255/128'.length;

/**
 * Null if the text is neither. A number has no leading zeros, and an address no zone, which only one host knows.
 * ipaddr.js, which checks where outgoing calls go, reads these and octal, hexadecimal and short forms too.
 */
export function parseNetwork(text: string): Network | null {
  if (text.length > maxLength) return null;
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const words = address.includes(':') ? parseIpv6(address) : parseIpv4(address);
  if (words === null) return null;
  const bits = words.length * 16;
  if (slash < 0) return { words, prefix: bits };
  const prefix = text.slice(slash + 1);
  return decimal.test(prefix) && Number(prefix) <= bits ? { words, prefix: Number(prefix) } : null;
}

/** Whether the network contains all of `other`. An IPv4 network contains no IPv6 address, even a mapped one. */
export function containsNetwork(network: Network, other: Network): boolean {
  if (network.words.length !== other.words.length || other.prefix < network.prefix) return false;
  for (let index = 0, bits = network.prefix; bits > 0; index++, bits -= 16) {
    const ignoredBits = Math.max(16 - bits, 0);
    if ((network.words[index]! ^ other.words[index]!) >> ignoredBits !== 0) return false;
  }
  return true;
}

function parseIpv4(text: string): number[] | null {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((part) => decimal.test(part) && Number(part) <= 255)) return null;
  const [first, second, third, fourth] = octets.map(Number) as [number, number, number, number];
  return [first * 256 + second, third * 256 + fourth];
}

function parseIpv6(text: string): number[] | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [before, after] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const head = parseGroups(before!, after === undefined);
  const tail = after === undefined ? [] : parseGroups(after, true);
  if (head === null || tail === null) return null;
  const missing = 8 - head.length - tail.length;
  if (after === undefined ? missing !== 0 : missing < 1) return null;
  return [...head, ...new Array<number>(missing).fill(0), ...tail];
}

/** The last groups of an address may be an IPv4 address. */
function parseGroups(groups: readonly string[], areLast: boolean): number[] | null {
  const words: number[] = [];
  for (const [index, part] of groups.entries()) {
    if (group.test(part)) {
      words.push(Number.parseInt(part, 16));
      continue;
    }
    const ipv4 = areLast && index === groups.length - 1 ? parseIpv4(part) : null;
    if (ipv4 === null) return null;
    words.push(...ipv4);
  }
  return words;
}
