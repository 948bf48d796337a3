import { describe, expect, it } from 'vitest';
import { readSignal } from './signal.ts';

const incarnation = '2026-06-01T00:00:00.123456789Z';
const read = (payload: unknown) => readSignal({ payload, sequence: 7 }, incarnation);

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
    expect(read(message)).toEqual({
      signal: {
        ...{ id: 41, endpointId: 2, tokenId: 3, payload: '{"disk":"full"}', createdAt: message.createdAt },
        ...{ streamIncarnation: incarnation, streamSequence: 7 },
      },
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
    expect(read({ ...message, payload })).toMatchObject({ signal: { payload: text } });
  });

  it('keeps the payload as the text that was sent', () => {
    const payloadText = '{ "n": 1e400, "n": 1.0 }';
    expect(read({ ...message, payloadText })).toMatchObject({ signal: { payload: payloadText } });
    expect(read({ ...message, payloadText: '{' })).toEqual({ problem: expect.stringContaining('should be JSON') });
  });

  it('has the payload null when it has none', () => {
    const { payload: _, ...bare } = message;
    expect(read(bare)).toMatchObject({ signal: { payload: 'null' } });
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
    expect(read(bad)).toEqual({ problem: expect.stringContaining(reason) });
  });

  it('is refused when its payload is nested too deep', () => {
    const deep: unknown = JSON.parse('['.repeat(200_000) + ']'.repeat(200_000));
    expect(read({ ...message, payload: deep })).toEqual({ problem: expect.stringContaining('too deep') });
  });
});
