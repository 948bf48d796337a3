/**
 * The bytes in memory of their own, for what is kept. Node makes small buffers as parts of a slab of 64 kB, which stays
 * in memory while one of its parts is kept.
 */
export function toStoredBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes;
  const stored = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(stored);
  return stored;
}
