import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { servedDocument } from './served-document.ts';

const text = 'all there is '.repeat(1_000);

function serve() {
  let made = 0;
  const document = servedDocument({ 'content-type': 'text/plain' }, () => {
    made += 1;
    return text;
  });
  const get = (headers: Record<string, string> = {}) => document((name) => headers[name]);
  return { get, made: () => made };
}

test('a document is made at its first request, once, and its bytes are shared', async () => {
  const { get, made } = serve();
  expect(made()).toBe(0);
  const [one, two] = await Promise.all([get(), get()]);
  expect(made()).toBe(1);
  expect(one.body).toBe(two.body);
  expect(one).toMatchObject({ status: 200, headers: { 'content-type': 'text/plain', vary: 'Accept-Encoding' } });
});

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('in %s it is compressed once, with an ETag of its own', async (coding, decompress) => {
  const { get } = serve();
  const [plain, one, two] = await Promise.all([get(), ...Array(2).fill(get({ 'accept-encoding': coding }))]);
  expect(one.headers['content-encoding']).toBe(coding);
  expect(decompress(one.body).toString()).toBe(text);
  expect(one.body).toBe(two.body);
  expect(one.headers.etag).not.toBe(plain!.headers.etag);
});

test('a client that has it gets 304, and only in the coding that it accepts', async () => {
  const { get } = serve();
  const { etag } = (await get()).headers as { etag: string };
  expect(etag).toMatch(/^"[\w-]+"$/);
  for (const sent of [etag, `"other", ${etag}`, '*', `W/${etag}`])
    expect(await get({ 'if-none-match': sent })).toEqual({ status: 304, headers: expect.objectContaining({ etag }) });
  for (const sent of ['"other"', '']) expect((await get({ 'if-none-match': sent })).status).toBe(200);
  expect((await get({ 'if-none-match': etag, 'accept-encoding': 'br' })).status).toBe(200);
});
