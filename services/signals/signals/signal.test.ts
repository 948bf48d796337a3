import { describe, expect, it } from 'vitest';
import { readSignal } from './signal.ts';

const message = {
  id: 41,
  source: 'signal-endpoint',
  sourceId: 2,
  createdBySourceTokenId: 3,
  createdAt: '2026-06-01T12:00:00.000Z',
  payload: { disk: 'full' },
};

describe('a message of the stream', () => {
  it('is a signal', () => {
    expect(readSignal(message)).toEqual({
      signal: { id: 41, endpointId: 2, tokenId: 3, payload: '{"disk":"full"}', createdAt: message.createdAt },
    });
  });

  it.each([
    [null, 'null'],
    [undefined, 'null'],
    [0, '0'],
    [false, 'false'],
    ['', '""'],
    ['\u0000', '"\\u0000"'],
    ['\ud800', '"\\ud800"'],
    [[[], {}], '[[],{}]'],
  ])('keeps the payload %j unchanged', (payload, text) => {
    expect(readSignal({ ...message, payload })).toMatchObject({ signal: { payload: text } });
  });

  it('has the payload null when it has none', () => {
    const { payload: _, ...bare } = message;
    expect(readSignal(bare)).toMatchObject({ signal: { payload: 'null' } });
  });

  it.each([
    ['no object', 'signal', 'The request payload should be object. You sent "signal".'],
    ['nothing', undefined, 'is required'],
    ['an id of 0', { ...message, id: 0 }, '.id'],
    ['an endpoint beyond the column', { ...message, sourceId: 2 ** 31 }, '.sourceId'],
    ['a token beyond the column', { ...message, createdBySourceTokenId: 2 ** 31 }, '.createdBySourceToken'],
    ['another source', { ...message, source: 'elsewhere' }, '.source'],
    ['a time in the year 0', { ...message, createdAt: '0000-01-01T00:00:00Z' }, '.createdAt'],
    ['no time', { ...message, createdAt: 'now' }, '.createdAt'],
  ])('is refused with the reason when it has %s', (_, bad, reason) => {
    expect(readSignal(bad)).toEqual({ fault: expect.stringContaining(reason) });
  });

  it('is refused when its payload is nested too deep', () => {
    const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
    expect(readSignal({ ...message, payload: deep })).toEqual({ fault: expect.stringContaining('too deep') });
  });
});
