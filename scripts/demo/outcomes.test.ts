import { expect, test } from 'vitest';
import { creationProblem, type Outcome, webhookProblem } from './outcomes.ts';

const success = { state: 'success', stateDetails: 'Webhook request was successful with status code: 200.' };
const failed = { state: 'failed', stateDetails: 'Webhook request failed with status code: 500' };

test.each<[string, Outcome[], number, string | undefined]>([
  ['both arrived', [success, success], 2, undefined],
  ['one was repeated', [success, success], 3, undefined],
  ['one did not arrive', [success, success], 1, 'did not deliver both events'],
  ['one failed', [success, failed], 2, 'did not deliver both events'],
  ['both failed', [failed, failed], 0, 'did not deliver both events'],
  ['one reached only some channels', [success, { ...success, state: 'successWithErrors' }], 2, 'did not deliver'],
])('%s', (_title, outcomes, receivedCount, problem) => {
  const found = webhookProblem(outcomes, receivedCount);
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});

test('a webhook that is refused says which address the system has to allow', () => {
  const refusal = 'POST /api/admin/addons answered 400: … INTEGRATIONS_ALLOWED_PRIVATE lists the private addresses';
  expect(creationProblem(refusal, '10.0.0.1')).toContain('start it with INTEGRATIONS_ALLOWED_PRIVATE=10.0.0.1');
  expect(creationProblem('POST /api/admin/addons answered 503', '10.0.0.1')).toContain('503');
});
