export interface Outcome {
  state: string;
  stateDetails: string;
}

/** Why the outcomes of the webhook are not all successes that arrived, or undefined if they are. */
export function webhookProblem(
  outcomes: readonly Outcome[],
  receivedCount: number,
  receiverHost: string,
): string | undefined {
  if (outcomes.every(({ state }) => state === 'success') && receivedCount >= outcomes.length) return undefined;
  if (!outcomes.some(({ stateDetails }) => stateDetails.includes('INTEGRATIONS_ALLOWED_PRIVATE')))
    return 'the webhook did not deliver both events to the receiver';
  return (
    `the system sends no webhooks to ${receiverHost}, where the demo receives them, because that address is private: ` +
    `start it with INTEGRATIONS_ALLOWED_PRIVATE=${receiverHost} (a system in containers reaches this machine at another ` +
    'address, which YARDARM_RECEIVER_HOST has to be)'
  );
}
