// The forms of the listing: filters, segments, content codings, and its ETag on several gateways.
import { randomBytes } from 'node:crypto';
import { eventually, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

let system: TestSystem;
let segmentId: number;
let token: string;

beforeAll(async () => {
  system = await startSystem();
  token = system.clientTokens.development;
  const constraints = [{ contextName: 'country', operator: 'IN', values: ['NO'] }];
  const segment = await system.call('POST', '/api/admin/segments', { body: { name: 'nordic', constraints } });
  segmentId = segment.body.id;
  for (const [name, tags] of [
    ['shop.cart', [{ type: 'simple', value: 'red' }]],
    ['shop.search', [{ type: 'simple', value: 'blue' }]],
    ['mail.inbox', []],
  ] as const) {
    await system.call('POST', '/api/admin/projects/default/features', {
      // A small listing is not compressed.
      body: { name, tags, description: 'a long description '.repeat(20) },
    });
  }
  await system.call('POST', '/api/admin/projects/default/features/shop.cart/environments/development/strategies', {
    body: { name: 'default', segments: [segmentId] },
  });
  await system.processAll();
});

afterAll(() => system?.stop());

const read = (query = '', headers: Record<string, string> = {}, url = system.url) =>
  system.call('GET', `/api/client/features${query}`, { token, headers, url });
const spec = { 'unleash-client-spec': '5.2.0' };
const namesIn = ({ body }: { body: { features: { name: string }[] } }) => body.features.map(({ name }) => name);

test('SDKs and scripts may add a path to an address that ends with a slash', async () => {
  for (const path of ['//api/client/features', '/api//client//features', '/api//client/features?project=default']) {
    const answer = await system.call('GET', path, { token });
    expect([answer.status, namesIn(answer)]).toEqual([200, namesIn(await read())]);
  }
  const body = { appName: 'web', bucket: { start: new Date(), stop: new Date(), toggles: {} } };
  const reported = await system.call('POST', '/api//client/metrics', { token, body });
  expect(reported.status).toBe(202);
});

test.each([
  ['?namePrefix=shop.', ['shop.cart', 'shop.search']],
  ['?tag=simple:red', ['shop.cart']],
  ['?tag=simple:red&tag=simple:blue&namePrefix=shop.s', ['shop.search']],
  ['?tag=simple:green', []],
  ['?namePrefix=%25', []],
])('the flags of a project with the filters %s are %j', async (query, names) => {
  const answer = await system.call('GET', `/api/admin/projects/default/features${query}`);
  expect(namesIn(answer)).toEqual(names);
});

test('a filter of the flags of a project that is no tag is refused', async () => {
  const answer = await system.call('GET', '/api/admin/projects/default/features?tag=red');
  expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(/tag.*type:value.*"red"/)]);
});

describe('filters', () => {
  test.each([
    ['?namePrefix=shop.', ['shop.cart', 'shop.search']],
    ['?tag=simple:red', ['shop.cart']],
    ['?tag=simple:red&tag=simple:blue', ['shop.cart', 'shop.search']],
    ['?tag[]=simple:blue&tag=simple:red&namePrefix=shop.s', ['shop.search']],
    ['?tag=simple:green', []],
    ['?project=default&namePrefix=mail', ['mail.inbox']],
    ['?project=elsewhere', []],
  ])('%s selects %j', async (query, names) => {
    const answer = await read(query);
    expect([answer.status, namesIn(answer)]).toEqual([200, names]);
  });

  test.each([
    ['?tag=red', 'tag', 'red'],
    ['?tag[]=:red', 'tag[]', ':red'],
    [`?namePrefix=${'x'.repeat(101)}`, 'namePrefix', 'xxx'],
    [`?${'tag=a:b&'.repeat(101)}`, 'tag', '100'],
  ])('%s is a 400 that names it', async (query, property, value) => {
    const { status, text } = await read(query);
    expect(status).toBe(400);
    expect(text).toContain(property);
    expect(text).toContain(value);
  });

  test('have an ETag each, which follows the tags of flags', async () => {
    const tagged = await read('?tag=simple:late');
    expect(namesIn(tagged)).toEqual([]);
    expect(tagged.headers.get('etag')).not.toBe((await read('?tag=simple:red')).headers.get('etag'));
    await system.call('POST', '/api/admin/features/mail.inbox/tags', { body: { type: 'simple', value: 'late' } });
    await eventually(async () => {
      const headers = { 'if-none-match': tagged.headers.get('etag')! };
      expect(namesIn(await read('?tag=simple:late', headers))).toEqual(['mail.inbox']);
    });
  });
});

describe('segments', () => {
  test('are beside the flags for SDKs that read them, and constraints for others', async () => {
    const [separate, inlined] = [await read('', spec), await read()];
    expect(separate.body.segments).toMatchObject([
      { id: segmentId, name: 'nordic', constraints: [{ values: ['NO'] }] },
    ]);
    expect(separate.body.features[1].strategies[0]).toMatchObject({ segments: [segmentId], constraints: [] });
    expect(inlined.body).not.toHaveProperty('segments');
    expect(inlined.body.features[1].strategies[0].constraints).toMatchObject([{ values: ['NO'] }]);
    expect(separate.headers.get('etag')).not.toBe(inlined.headers.get('etag'));
    for (const headers of [{}, spec]) {
      const one = await system.call('GET', '/api/client/features/shop.cart', { token, headers });
      expect(one.body).toEqual((await read('', headers)).body.features[1]);
    }
  });

  test('change both forms', async () => {
    const before = await Promise.all([read('', spec), read()]);
    const constraints = [{ contextName: 'country', operator: 'IN', values: ['SE'] }];
    await system.call('PUT', `/api/admin/segments/${segmentId}`, { body: { name: 'nordic', constraints } });
    await eventually(async () => {
      for (const [index, headers] of [spec, {}].entries()) {
        const etag = before[index]!.headers.get('etag')!;
        const { status, text } = await read('', { ...headers, 'if-none-match': etag });
        expect([status, text.includes('"SE"'), text.includes('"NO"')]).toEqual([200, true, false]);
      }
    });
  });
});

describe('codings', () => {
  test.each(['gzip', 'br', 'identity'])('%s has the same content and an ETag of its own', async (coding) => {
    const plain = await read('', { 'accept-encoding': 'identity' });
    const answer = await read('', { 'accept-encoding': coding });
    expect(answer.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
    expect(answer.headers.get('vary')).toBe('Authorization, Accept-Encoding, Unleash-Client-Spec');
    // `fetch` has decoded it.
    expect(answer.text).toBe(plain.text);
    expect(answer.headers.get('etag') === plain.headers.get('etag')).toBe(coding === 'identity');
    for (const other of ['gzip', 'br', 'identity']) {
      const headers = { 'accept-encoding': other, 'if-none-match': answer.headers.get('etag')! };
      const unchanged = await read('', headers);
      expect([unchanged.status, unchanged.text]).toEqual([304, '']);
      expect(unchanged.headers.get('etag')).toBe(answer.headers.get('etag'));
    }
  });
});

describe('two gateways', () => {
  test('have equal bytes and ETags of the same state, whenever they were started', async () => {
    await system.call('POST', '/api/admin/projects/default/features/mail.inbox/environments/development/on');
    await system.processAll();
    const second = await system.addGateway();
    for (const query of ['', '?tag=simple:red', '?namePrefix=mail', '?project=default']) {
      for (const headers of [{}, spec]) {
        const [one, two] = [await read(query, headers), await read(query, headers, second)];
        expect(two.text).toBe(one.text);
        expect(two.headers.get('etag')).toBe(one.headers.get('etag'));
      }
    }
  });

  test('answer a state that flags does not have with the listing', async () => {
    const etag = (await read()).headers.get('etag')!;
    const [scope, revision, ...epoch] = etag.split(':');
    const ahead = [scope, Number(revision) + 1_000, ...epoch].join(':');
    expect((await read('', { 'if-none-match': ahead })).status).toBe(200);
  });
});

test('compressed listings with ever new filters of one token do not delay that of another', async () => {
  // Random values take long to compress.
  const values = () => Array.from({ length: 1_000 }, () => randomBytes(60).toString('base64'));
  const constraint = () => ({ contextName: 'userId', operator: 'IN', values: values() });
  for (const name of ['large-1', 'large-2', 'large-3', 'large-4', 'large-5']) {
    await system.call('POST', '/api/admin/projects/default/features', { body: { name } });
    const strategies = `/api/admin/projects/default/features/${name}/environments/development/strategies`;
    const body = { name: 'default', constraints: Array.from({ length: 5 }, constraint) };
    expect((await system.call('POST', strategies, { body })).status).toBe(200);
  }
  await system.processAll();
  await eventually(async () => expect(namesIn(await read('?namePrefix=large'))).toHaveLength(5));
  const other = await system.call('POST', '/api/admin/api-tokens', {
    body: { tokenName: 'other', type: 'client', environment: 'development', projects: ['*'] },
  });
  await eventually(async () => expect((await read('', { authorization: other.body.secret })).status).toBe(200));

  const answered: string[] = [];
  const ask = async (of: string, filter: string) => {
    const answer = await read(`?project=default&project=${filter}`, { authorization: of, 'accept-encoding': 'gzip' });
    answered.push(filter);
    return [answer.status, answer.headers.get('content-encoding')];
  };
  // The last ones may be refused with 503 on a busy machine, which takes longer for all of them than a request may.
  const floods = Array.from({ length: 20 }, (_, n) => ask(token, `flood-${n}`));
  expect(await ask(other.body.secret, 'other')).toEqual([200, 'gzip']);
  for (const answer of await Promise.all(floods))
    expect([
      [200, 'gzip'],
      [503, null],
    ]).toContainEqual(answer);
  // It arrives after the others, some of which may be answered by then.
  expect(answered.indexOf('other')).toBeLessThan(8);
});
