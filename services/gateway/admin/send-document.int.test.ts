// Documents over a real bus. The test has the place of flags.
import { randomBytes } from 'node:crypto';
import { type Bus, connectBus, type RequestContext } from '@yardarm/shared/bus';
import { discardImportParts, storeImportPart } from '@yardarm/shared/contracts/flags';
import { AppError } from '@yardarm/shared/errors';
import { createLogger } from '@yardarm/shared/log';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { TakeChunk } from '../routing/route.ts';
import { partBytes, sendDocument } from './send-document.ts';

let bus: Bus;
const uploads = new Map<string, string[]>();

beforeAll(async () => {
  const log = createLogger({ service: 'test', level: 'silent' });
  bus = await connectBus({
    url: inject('natsUrl'),
    prefix: `t${randomBytes(6).toString('hex')}`,
    ...{ log, name: 'gateway' },
  });
  bus.serve(storeImportPart, async ({ uploadId, part, text }) => {
    uploads.set(uploadId, Object.assign(uploads.get(uploadId) ?? [], { [part]: text }));
  });
  bus.serve(discardImportParts, async ({ uploadId }) => {
    uploads.delete(uploadId);
  });
  await bus.flush();
});

afterAll(() => bus?.drain());

const contextOf = (): RequestContext => ({
  ...{ requestId: 'test', traceparent: null, deadline: Date.now() + 60_000 },
  actor: { kind: 'user', id: 1, username: 'ann', grants: [] },
});

/** Sends a body that arrives in these chunks. */
async function send(chunks: readonly Uint8Array[]) {
  return await sendDocument(bus, (take) => takeAll(chunks, take), contextOf());
}

async function takeAll(chunks: readonly Uint8Array[], take: TakeChunk): Promise<void> {
  for (const chunk of chunks) await take(Buffer.from(chunk));
}

test('a small document is a text, without a byte order mark', async () => {
  expect(await send([Buffer.from('\ufeff{"a":'), Buffer.from('1}')])).toEqual({ text: '{"a":1}' });
  const largest = `{"a":"${'x'.repeat(partBytes - 8)}"}`;
  expect(await send([Buffer.from(largest)])).toEqual({ text: largest });
});

test('the parts of a large document are its text, wherever its chunks and parts end', async () => {
  const size = fc.integer({ min: 1, max: 400_000 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 4 }), size, fc.nat(9), async (item, length, shift) => {
      const text = `{${'x'.repeat(shift)}${item.replaceAll('\0', '').repeat(2 * partBytes)}`.slice(0, 2 * partBytes);
      const bytes = Buffer.from(text);
      const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
        bytes.subarray(n * length, (n + 1) * length),
      );
      const sent = await send(length < 1_000 ? [bytes] : chunks);
      if (!('uploadId' in sent)) throw new Error('the document was not divided');
      const parts = uploads.get(sent.uploadId)!;
      expect(parts.join('') === bytes.toString()).toBe(true);
      expect(Math.max(...parts.map((part) => Buffer.byteLength(part)))).toBeLessThanOrEqual(partBytes + 3);
    }),
    { numRuns: 20 },
  );
});

test.each([
  ['a list', [Buffer.from('[{}]')]],
  ['nothing', []],
  ['spaces without an end', [Buffer.from(' '.repeat(1_001)), Buffer.from('{}')]],
  ['a NUL in a later part', [Buffer.alloc(2 * partBytes, '{'), Buffer.from('\0')]],
])('%s is refused, and no part of it stays', async (_title, chunks) => {
  uploads.clear();
  await expect(send(chunks)).rejects.toMatchObject({ code: 'validation' });
  expect(uploads.size).toBe(0);
});

test('the parts of a document that is not sent to its end are deleted, also after the deadline', async () => {
  uploads.clear();
  const cutOff = new AppError('validation', 'The request ended before its body was complete.');
  const context = contextOf();
  const sending = sendDocument(
    bus,
    async (take) => {
      await takeAll([Buffer.alloc(2 * partBytes, '{')], take);
      expect(uploads.size).toBe(1);
      context.deadline = Date.now() - 1;
      throw cutOff;
    },
    context,
  );
  await expect(sending).rejects.toBe(cutOff);
  expect(uploads.size).toBe(0);
});
