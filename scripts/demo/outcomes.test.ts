import { expect, test } from 'vitest';
import { type Outcome, webhookProblem } from './outcomes.ts';

const success = { state: 'success', stateDetails: 'Webhook request was successful with status code: 200.' };
const failed = { state: 'failed', stateDetails: 'Webhook request failed with status code: 500' };
const refused = {
  state: 'failed',
  stateDetails:
    'Webhook request was refused and not sent: the address is not a public one. INTEGRATIONS_ALLOWED_PRIVATE lists the private addresses that may be called.',
};

test.each<[string, Outcome[], number, string | undefined]>([
  ['both arrived', [success, success], 2, undefined],
  ['one was repeated', [success, success], 3, undefined],
  ['one did not arrive', [success, success], 1, 'did not deliver both events'],
  ['one failed', [success, failed], 2, 'did not deliver both events'],
  ['both failed', [failed, failed], 0, 'did not deliver both events'],
  ['one reached only some channels', [success, { ...success, state: 'successWithErrors' }], 2, 'did not deliver'],
  ['both were refused', [refused, refused], 0, 'INTEGRATIONS_ALLOWED_PRIVATE=10.0.0.1'],
  ['one was refused', [success, refused], 1, 'INTEGRATIONS_ALLOWED_PRIVATE=10.0.0.1'],
])('%s', (_title, outcomes, receivedCount, problem) => {
  const found = webhookProblem(outcomes, receivedCount, '10.0.0.1');
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toContain(problem);
});
