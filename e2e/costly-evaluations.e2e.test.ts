// A member of one project adds the costliest constraints, and callers evaluate them with random texts of few letters.
import { administer, eventually, makeFlag, makeSdkToken, switchOn, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

let system: TestSystem;
let costlyToken: string;
let otherToken: string;

const randomText = (length: number) => Array.from({ length }, () => (Math.random() < 0.5 ? 'a' : 'b')).join('');

beforeAll(async () => {
  system = await startSystem();
  await administer(system, 'POST', '/api/admin/projects', { id: 'other', name: 'Other' });
  // Inverted constraints are all evaluated.
  const constraints = Array.from({ length: 30 }, (_, index) => ({
    ...{ contextName: 'userId', operator: 'REGEX', inverted: true },
    value: `a(?:[ab][ab]){${490 - index}}[cd]`,
  }));
  await makeFlag(system, 'default', 'costly', { name: 'default', constraints });
  await makeFlag(system, 'other', 'cheap', { name: 'default' });
  await switchOn(system, 'default', 'costly');
  await switchOn(system, 'other', 'cheap');
  costlyToken = await makeSdkToken(system, 'frontend', 'default');
  otherToken = await makeSdkToken(system, 'frontend', 'other');
  await system.processAll();
});

afterAll(() => system?.stop());

const message =
  'The evaluation of the flag costly takes too long for this context, at last because of its constraint with REGEX on userId.';

test('a browser gets 422, which names the flag and the constraint, and browsers of others get their flags', async () => {
  const userId = randomText(1_000);
  const costly = Array.from({ length: 20 }, () =>
    system.call('POST', '/api/frontend', { token: costlyToken, body: { context: { userId } } }),
  );
  const other = await system.call('GET', `/api/frontend?userId=${userId}`, { token: otherToken });
  expect(other.body.toggles.map(({ name }: { name: string }) => name)).toEqual(['cheap']);
  for (const answer of await Promise.all(costly)) {
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(message);
  }
});

test('providers of OpenFeature get an error in the form of their protocol', async () => {
  const options = { token: costlyToken, body: { context: { targetingKey: randomText(1_000) } } };
  expect(await system.call('POST', '/ofrep/v1/evaluate/flags', options)).toMatchObject({
    status: 422,
    body: { errorCode: 'GENERAL', errorDetails: message },
  });
  expect(await system.call('POST', '/ofrep/v1/evaluate/flags/costly', options)).toMatchObject({
    status: 422,
    body: { key: 'costly', errorCode: 'GENERAL', errorDetails: message },
  });
});

test('ordinary texts are evaluated, and so are those that are too long for patterns', async () => {
  for (const userId of ['someone', randomText(1_001)]) {
    const body = { context: { userId } };
    const answer = await system.call('POST', '/api/frontend', { token: costlyToken, body });
    expect(answer.status).toBe(200);
    // No pattern matches, and all constraints are inverted.
    expect(answer.body.toggles).toHaveLength(1);
  }
});

test.each([
  ['/api/frontend', (text: string) => ({ context: { properties: { long: text } } })],
  ['/ofrep/v1/evaluate/flags', (text: string) => ({ context: { long: text } })],
])('%s refuses a context with a text of more than 10,000 characters', async (path, bodyWith) => {
  const call = (text: string) => system.call('POST', path, { token: otherToken, body: bodyWith(text) });
  expect((await call('x'.repeat(10_000))).status).toBe(200);
  const refused = await call('x'.repeat(10_001));
  expect(refused.status).toBe(400);
  expect(refused.text).toContain(
    'The field \\"long\\" of the context should have at most 10000 characters. You sent 10001.',
  );
});

test('the playground refuses what takes too long, and texts that are too long', async () => {
  const ask = (userId: string) =>
    system.call('POST', '/api/admin/playground', {
      body: { environment: 'development', projects: ['default'], context: { appName: 'shop', userId } },
    });
  expect(await ask(randomText(1_000))).toMatchObject({ status: 400, body: { message } });
  expect(await ask('x'.repeat(10_001))).toMatchObject({
    status: 400,
    body: {
      message: expect.stringContaining('.context.userId property should have values of at most 10000 characters'),
    },
  });
  // The compilation of its patterns takes half of the budget, and a collection of garbage may take the rest.
  await eventually(async () => expect((await ask('someone')).status).toBe(200));
});
