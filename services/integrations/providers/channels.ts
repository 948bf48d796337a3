import type { Event } from '@yardarm/shared/contracts/events';
import { retryAfterMs } from '../retry-after.ts';
import type { Call } from './call.ts';
import type { Progress, SendResult } from './provider.ts';

/**
 * No message needs more channels. Slack lets an app post some hundred a minute, and one after the other these take some
 * ten seconds.
 */
export const maxChannels = 50;

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
 * attempts included. A retry of one channel sends nothing to the channels that have it. Channels get the message one
 * after the other: to its endpoint a delivery is one request at a time. The first request without an answer is the last
 * one: the others go to the same host. Of more than `maxChannels`, which tags can name, the first ones get the message.
 * `what` names the requests: "Slack client calls".
 */
export async function publishToChannels(
  what: string,
  {
    channels: named,
    progress,
    details,
  }: { channels: readonly string[]; progress: Progress | null; details: Record<string, unknown> },
  send: (channel: string) => Promise<Call>,
): Promise<SendResult> {
  const channels = named.slice(0, maxChannels);
  const reached = channels.filter((channel) => progress?.sent.includes(channel));
  const calls: ChannelCall[] = [];
  for (const channel of channels.filter((each) => !reached.includes(each))) {
    const call = await send(channel);
    calls.push({ channel, call });
    if (call.status === null) break;
  }
  const failed = calls.filter(({ call }) => call.failure !== null);
  const sent = [...reached, ...calls.filter(({ call }) => call.failure === null).map(({ channel }) => channel)];
  // The attempt shows the answer of a failed request, if there is one.
  const representative = (failed[0] ?? calls[0])?.call;
  return {
    state: failed.length === 0 ? 'success' : sent.length === 0 ? 'failed' : 'successWithErrors',
    stateDetails: stateDetailsOf(what, channels.length, failed),
    details: { ...details, channels },
    status: representative?.status ?? null,
    errorCode: representative?.errorCode ?? null,
    responseBody: (failed.length > 0 ? failed : calls)
      .map(({ channel, call }) => `${channel}: ${call.responseBody ?? ''}`)
      .join('\n'),
    next: failed.length === 0 ? 'done' : isGone(sent, failed) ? 'disable' : 'retry',
    retryAfter: longestRetryAfter(failed.map(({ call }) => call.retryAfter)),
    progress: { sent },
  };
}

interface ChannelCall {
  channel: string;
  call: Call;
}

/** The texts of the public product for the outcome. */
function stateDetailsOf(what: string, count: number, failed: ChannelCall[]): string {
  const errors = failed.map(({ channel, call }) => `${channel} ${call.failure}`).join(', ');
  if (count === 0) return 'Nothing was sent: the integration names no channel, and the flag has no slack tag.';
  if (failed.length === 0) return `All (${count}) ${what} were successful.`;
  if (failed.length === count) return `All (${count}) ${what} failed with the following errors: ${errors}`;
  return `Some (${failed.length} of ${count}) ${what} failed. Errors: ${errors}`;
}

/** If one channel is gone, the others still receive messages. */
function isGone(sent: string[], failed: ChannelCall[]): boolean {
  return sent.length === 0 && failed.every(({ call }) => call.status === 410);
}

/** The longest wait applies to all channels. */
function longestRetryAfter(retryAfters: readonly (string | null)[]): string | null {
  const nowMs = Date.now();
  const longestFirst = retryAfters.toSorted((one, other) => retryAfterMs(other, nowMs) - retryAfterMs(one, nowMs));
  return longestFirst[0] ?? null;
}
