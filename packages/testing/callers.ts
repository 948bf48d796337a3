import { randomUUID } from 'node:crypto';
import type { Bus, RequestContext } from '@yardarm/shared/bus';
import type { Actor, RequestContract } from '@yardarm/shared/contracts';
import type { z } from 'zod';

export const admin: Actor = { kind: 'admin-token', id: -42, username: 'root', grants: [{ permissions: ['ADMIN'] }] };

/** Most requests take milliseconds. The limit allows for a busy machine. */
const defaultTimeoutMs = 10_000;

export function contextOf(actor: Actor | null, timeoutMs: number = defaultTimeoutMs): RequestContext {
  return { requestId: randomUUID(), actor, deadline: Date.now() + timeoutMs, traceparent: null };
}

/** Sends requests as a gateway does. The actor is an admin unless a test gives another. */
export interface Caller {
  ask<C extends RequestContract>(
    contract: C,
    input: z.input<C['input']>,
    actor?: Actor | null,
  ): Promise<z.output<C['output']>>;
}

export function callerOn(bus: Bus, timeoutMs: number = defaultTimeoutMs): Caller {
  return {
    ask: (contract, input, actor = admin) => bus.request(contract, input, contextOf(actor, timeoutMs)),
  };
}

/** Runs twenty requests at once. Returns how many succeeded, and the error codes of the others. */
export async function race(act: (racer: number) => Promise<unknown>): Promise<{ won: number; codes: string[] }> {
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, racer) => act(racer)));
  const failures = results.filter((result) => result.status === 'rejected');
  return { won: 20 - failures.length, codes: [...new Set(failures.map(({ reason }) => reason.code as string))] };
}
