// Proves the import of documents over HTTP: above the size of a NATS message, and above the limit of the route.
import { startSystem, type TestSystem } from '@yardarm/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';

const path = '/api/admin/features-batch';
const place = { project: 'default', environment: 'development' };
/** The default of IMPORT_LIMIT_BYTES. */
const limitBytes = 20_000_000;
/** The default limit of a NATS message. */
const messageBytes = 1_048_576;

let system: TestSystem;

beforeAll(async () => {
  system = await startSystem();
});
afterAll(() => system?.stop());

/** A document above this size. */
function documentOf(bytes: number): string {
  // Three bytes each, far more than what else a flag has.
  const description = '€'.repeat(3_300);
  const features = Array.from({ length: Math.ceil(bytes / Buffer.byteLength(description)) }, (_, index) => ({
    ...{ name: `large-${index}`, description },
  }));
  const featureEnvironments = features.map(({ name }) => ({ featureName: name, enabled: true }));
  return JSON.stringify({ ...place, data: { features, featureStrategies: [], featureEnvironments } });
}

test('a document above the size of a message is validated and imported', async () => {
  const body = documentOf(5 * messageBytes);
  expect(Buffer.byteLength(body)).toBeGreaterThan(5 * messageBytes);
  expect(await system.call('POST', `${path}/validate`, { body })).toMatchObject({
    ...{ status: 200, body: { errors: [], warnings: [], permissions: [] } },
  });
  expect(await system.call('POST', `${path}/import`, { body })).toMatchObject({ status: 200, text: '' });
  await system.processAll();
  const { features } = JSON.parse(body).data;
  const { body: listing } = await system.call('GET', '/api/client/features', {
    token: system.clientTokens.development,
  });
  expect(listing.features).toHaveLength(features.length);
  expect(listing.features).toEqual(
    expect.arrayContaining([expect.objectContaining({ ...features.at(-1), enabled: true })]),
  );
  const exported = await system.call('POST', `${path}/export`, {
    body: { environment: 'development', project: 'default' },
  });
  expect(exported.body.features).toHaveLength(features.length);
});

test('a document above the limit of the route is refused, and the limit is named', async () => {
  const body = documentOf(limitBytes);
  expect(Buffer.byteLength(body)).toBeGreaterThan(limitBytes);
  for (const operation of ['validate', 'import']) {
    const refused = await system.call('POST', `${path}/${operation}`, { body });
    expect([refused.status, refused.body.name]).toEqual([413, 'ContentTooLarge']);
    expect(refused.text).toContain(`${limitBytes}`);
  }
});
