export interface Outcome {
  state: string;
  stateDetails: string;
}

/** Why the outcomes of the webhook are not all successes that arrived, or undefined if they are. */
export function webhookProblem(outcomes: readonly Outcome[], receivedCount: number): string | undefined {
  if (outcomes.every(({ state }) => state === 'success') && receivedCount >= outcomes.length) return undefined;
  return 'the webhook did not deliver both events to the receiver';
}

/** The error of the creation of the webhook. A system that may not call the receiver refuses the webhook. */
export function creationProblem(message: string, receiverHost: string): string {
  if (!message.includes('INTEGRATIONS_ALLOWED_PRIVATE')) return message;
  return (
    `the system sends no webhooks to ${receiverHost}, where the demo receives them, because that address is private: ` +
    `start it with INTEGRATIONS_ALLOWED_PRIVATE=${receiverHost} (a system in containers reaches this machine at another ` +
    'address, which YARDARM_RECEIVER_HOST has to be)'
  );
}
