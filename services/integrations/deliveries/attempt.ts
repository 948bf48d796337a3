import type { DeliveryAttempt } from '@yardarm/shared/contracts/integrations';

export interface Attempt {
  number: number;
  startedAt: Date;
  durationMs: number;
  status: number | null;
  errorCode: string | null;
  responseBody: string | null;
}

export function toDeliveryAttempt({ startedAt, responseBody, ...attempt }: Attempt): DeliveryAttempt {
  return { ...attempt, startedAt: startedAt.toISOString(), response: responseBody };
}
