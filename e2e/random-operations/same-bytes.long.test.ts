// Proves that a gateway that has followed random operations serves the same bytes as one that has just started.

import { type Bus, connectBus } from '@yardarm/shared/bus';
import * as contracts from '@yardarm/shared/contracts/flags';
import { createLogger } from '@yardarm/shared/log';
import { propertyRuns, type TestSystem } from '@yardarm/testing';
import { startSystem } from '@yardarm/testing/system';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { context } from './flags-system.ts';
import type { Operation } from './operation.ts';
import { anyOperation } from './operations.ts';
import { type Ask, environments, newScene, perhaps } from './scene.ts';

let system: TestSystem;
let bus: Bus;
const ask: Ask = (contract, input) => bus.request(contract, input, context());

beforeAll(async () => {
  system = await startSystem();
  const log = createLogger({ service: 'test', level: 'error' });
  bus = await connectBus({ url: system.natsUrl, name: 'gateway', prefix: system.prefix, log });
  await ask(contracts.createProject, { id: 'second', name: 'Second' });
  // The operations may archive each flag that they know.
  await ask(contracts.createFeature, { projectId: 'second', name: 'kept' });
});
afterAll(async () => {
  await bus?.drain();
  await system?.stop();
});

const paths = ['', '?tag=simple:one', '?namePrefix=run-1', '?project=second'].map(
  (query) => `/api/client/features${query}`,
);

async function answersOf(url: string, tokens: readonly string[]) {
  const answers = [];
  for (const token of tokens) {
    for (const path of paths) {
      const { status, text, headers } = await system.call('GET', path, { url, token });
      answers.push({ token, path, status, text, etag: headers.get('etag') });
    }
  }
  return answers;
}

async function tokenFor(environment: string): Promise<string> {
  const body = { type: 'client', tokenName: environment, environment, projects: ['*'] };
  const { status, text } = await system.call('POST', '/api/admin/api-tokens', { body });
  expect([status, text]).toEqual([201, expect.any(String)]);
  return JSON.parse(text).secret;
}

test('after random operations a running gateway serves the same bytes as a new one', { timeout: 300_000 }, async () => {
  const sequences = fc.array(fc.array(anyOperation, { minLength: 1, maxLength: 4 }), { minLength: 20, maxLength: 40 });
  const check = async (sent: readonly Operation[][]) => {
    const scene = await newScene(ask);
    for (const operations of sent) {
      await Promise.all(operations.map((operation) => perhaps(operation.run(scene))));
      // The gateway follows the operations in steps, as far as its hints let it.
      await system.call('GET', paths[0]!, { token: system.clientTokens.production });
    }
    await perhaps(ask(contracts.createEnvironment, { name: 'extra', type: 'test' }));
    await perhaps(ask(contracts.addProjectEnvironment, { projectId: 'second', environment: 'extra' }));
    await system.processAll();
    const tokens = await Promise.all(environments.map(tokenFor));
    const another = await system.addGateway();
    await system.processAll();
    const answers = await answersOf(system.url, tokens);
    expect(await answersOf(another, tokens)).toEqual(answers);
    for (const { status } of answers) expect(status).toBe(200);
    expect(answers.some(({ text }) => JSON.parse(text).features.length > 0)).toBe(true);
  };
  await fc.assert(fc.asyncProperty(sequences, check), { numRuns: propertyRuns(4), endOnFailure: true });
});
