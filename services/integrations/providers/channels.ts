import type { Event } from '@yardarm/shared/contracts/events';
import type { Call } from './call.ts';
import type { Progress, SendResult } from './provider.ts';

/** The channels of a comma-separated list, without duplicates; "#general" and "general" are the same. */
export function channelsIn(list: string): string[] {
  const channels = list.split(',').map((channel) => channel.trim().replace(/^#/, ''));
  return [...new Set(channels.filter((channel) => channel !== ''))];
}

export function taggedChannels({ tags }: Event): string[] {
  return channelsIn(
    tags
      .filter(({ type }) => type === 'slack')
      .map(({ value }) => value)
      .join(),
  );
}

/**
 * Sends to each channel that has not received the message, and returns the result of the whole delivery, earlier
 * attempts included. A retry of one channel sends nothing to the channels that have it. `what` names the requests:
 * "Slack client calls".
 */
export async function publishToChannels(
  what: string,
  { channels, progress, details }: { channels: string[]; progress: Progress | null; details: Record<string, unknown> },
  send: (channel: string) => Promise<Call>,
): Promise<SendResult> {
  const reached = channels.filter((channel) => progress?.sent.includes(channel));
  const calls = await Promise.all(
    channels
      .filter((channel) => !reached.includes(channel))
      .map(async (channel) => ({ channel, call: await send(channel) })),
  );
  const failed = calls.filter(({ call }) => call.failure !== null);
  const sent = [...reached, ...calls.filter(({ call }) => call.failure === null).map(({ channel }) => channel)];
  // The attempt shows the answer of a failed request, if there is one.
  const representative = (failed[0] ?? calls[0])?.call;
  return {
    state: failed.length === 0 ? 'success' : sent.length === 0 ? 'failed' : 'successWithErrors',
    stateDetails: stateDetailsOf(what, channels.length, failed),
    details,
    status: representative?.status ?? null,
    errorCode: representative?.errorCode ?? null,
    responseBody: (failed.length > 0 ? failed : calls)
      .map(({ channel, call }) => `${channel}: ${call.responseBody ?? ''}`)
      .join('\n'),
    next: failed.length === 0 ? 'done' : isGone(sent, failed) ? 'disable' : 'retry',
    retryAfter: maxRetryAfter(failed.map(({ call }) => call.retryAfter)),
    progress: { sent },
  };
}

interface FailedCall {
  channel: string;
  call: Call;
}

/** The texts of the public product for the outcome. */
function stateDetailsOf(what: string, count: number, failed: FailedCall[]): string {
  const errors = failed.map(({ channel, call }) => `${channel} ${call.failure}`).join(', ');
  if (count === 0) return 'Nothing was sent: the integration names no channel, and the flag has no slack tag.';
  if (failed.length === 0) return `All (${count}) ${what} were successful.`;
  if (failed.length === count) return `All (${count}) ${what} failed with the following errors: ${errors}`;
  return `Some (${failed.length} of ${count}) ${what} failed. Errors: ${errors}`;
}

/** If one channel is gone, the others still receive messages. */
function isGone(sent: string[], failed: FailedCall[]): boolean {
  return sent.length === 0 && failed.every(({ call }) => call.status === 410);
}

/** Slack asks in whole seconds. The longest wait applies to all. */
function maxRetryAfter(retryAfters: (string | null)[]): string | null {
  const asked = retryAfters.filter((value) => value !== null);
  return asked.sort((a, b) => Number(b) - Number(a))[0] ?? null;
}
