import { expect, test } from 'vitest';
import { inOrder, isSending, whenSent } from './in-order.ts';

test('writes of one flag are sent one after the other, also after a refused one; those of another do not wait', async () => {
  const sent: string[] = [];
  const first = Promise.withResolvers<void>();
  const refused = inOrder('shop', 'a', async () => {
    await first.promise;
    sent.push('a1');
    throw new Error('refused');
  });
  const second = inOrder('shop', 'a', async () => void sent.push('a2'));
  await inOrder('shop', 'b', async () => void sent.push('b'));
  expect(isSending('shop', 'b')).toBe(false);
  expect(isSending('shop', 'a')).toBe(true);
  const seen = whenSent().then(() => [...sent]);
  first.resolve();
  await expect(refused).rejects.toThrow('refused');
  await second;
  expect(isSending('shop', 'a')).toBe(false);
  expect(sent).toEqual(['b', 'a1', 'a2']);
  expect(await seen).toEqual(['b', 'a1', 'a2']);
});
