/**
 * MurmurHash3 (x86, 32 bits) of `prefix + text`, unsigned. The prefix is hashed once; a call hashes only the text and
 * allocates nothing. A character counts as the low byte of its UTF-16 code, as in the Node SDK.
 */
export function prefixedHash(prefix: string, seed: number): (text: string) => number {
  const wholeLength = prefix.length - (prefix.length % 4);
  let start = seed;
  for (let index = 0; index < wholeLength; index += 4) {
    const block =
      byteAt(prefix, index) |
      (byteAt(prefix, index + 1) << 8) |
      (byteAt(prefix, index + 2) << 16) |
      (byteAt(prefix, index + 3) << 24);
    start = mixed(start, block);
  }
  let startBlock = 0;
  let startBits = 0;
  for (let index = wholeLength; index < prefix.length; index++, startBits += 8) {
    startBlock |= byteAt(prefix, index) << startBits;
  }
  return (text) => {
    let hash = start;
    let block = startBlock;
    let bits = startBits;
    for (let index = 0; index < text.length; index++) {
      block |= byteAt(text, index) << bits;
      bits += 8;
      if (bits === 32) {
        hash = mixed(hash, block);
        block = 0;
        bits = 0;
      }
    }
    return finished(hash ^ scrambled(block), prefix.length + text.length);
  };
}

function byteAt(text: string, index: number): number {
  return text.charCodeAt(index) & 0xff;
}

// The numbers below are those of the algorithm. A block of 0 scrambles to 0, so an empty tail changes nothing.

function scrambled(block: number): number {
  const product = Math.imul(block, 0xcc9e2d51);
  return Math.imul((product << 15) | (product >>> 17), 0x1b873593);
}

function mixed(hash: number, block: number): number {
  const combined = hash ^ scrambled(block);
  return (Math.imul((combined << 13) | (combined >>> 19), 5) + 0xe6546b64) | 0;
}

function finished(hash: number, length: number): number {
  let bits = hash ^ length;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
