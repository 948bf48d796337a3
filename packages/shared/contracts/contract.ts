import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

export const serviceNames = ['gateway', 'flags', 'events', 'integrations', 'signals', 'accounts'] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * The permission that the actor of a request must hold, or several of which one suffices. `'authenticated'` requires
 * any actor. `'public'` requires none: the request itself proves the caller, by a password or a one-time token.
 * `'internal'` requires none: only services send it, and the gateway never sends it on a user's word alone.
 */
export type RequiredPermission = Permission | readonly Permission[] | 'authenticated' | 'public' | 'internal';

/**
 * Whether a request changes something. `true` is refused in maintenance mode. `'in-maintenance'` goes on: logins, what
 * SDKs and senders of signals report, the rest of a change that has begun, and the switch of maintenance mode itself.
 */
export type Writes = boolean | 'in-maintenance';

/**
 * A request between services. Both sides parse with its schemas, except a caller that passes a long list on unread.
 *
 * The serving side checks `permission` before the handler runs: a project permission in the project `input.projectId`,
 * an environment permission also in `input.environment`. With `anywhere` any place of the actor is enough.
 */
export interface RequestContract<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly kind: 'request';
  /** `<service>.<noun>.<verb>`; the subject is `rpc.` + name. */
  readonly name: string;
  readonly service: ServiceName;
  readonly writes: Writes;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
  readonly permission: RequiredPermission;
  /** The permission in any project and environment is enough, because the handler checks the place. */
  readonly anywhere?: true;
  /** The services that send it. NATS refuses it from every other service. */
  readonly callers: readonly ServiceName[];
  /** Every replica gets the request and answers it for itself, instead of one of them for all. */
  readonly ofEachReplica?: true;
}

/** Defines a request contract; the service is the name's first word. Without `callers` only the gateway sends it. */
export function request<Input extends z.ZodType, Output extends z.ZodType>(definition: {
  name: `${ServiceName}.${string}.${string}`;
  writes: Writes;
  summary: string;
  input: Input;
  output: Output;
  errors?: readonly ErrorCode[];
  permission: RequiredPermission;
  anywhere?: true;
  callers?: readonly ServiceName[];
  ofEachReplica?: true;
}): RequestContract<Input, Output> {
  return {
    kind: 'request',
    ...definition,
    service: definition.name.split('.')[0] as ServiceName,
    errors: definition.errors ?? [],
    callers: definition.callers ?? ['gateway'],
  };
}

/**
 * A core NATS message without an answer, which may be lost. It only makes a reader poll sooner: the state itself is
 * stored elsewhere. The subject is `hint.` + name.
 */
export interface HintContract<Payload extends z.ZodType = z.ZodType> {
  readonly kind: 'hint';
  readonly name: string;
  readonly service: ServiceName;
  readonly summary: string;
  readonly payload: Payload;
  /** The services that listen to it. NATS refuses it to every other service. */
  readonly listeners: readonly ServiceName[];
}

/** Defines a hint; the service is the name's first word. Without `listeners` only the gateway listens to it. */
export function hint<Payload extends z.ZodType>(definition: {
  name: `${ServiceName}.${string}`;
  summary: string;
  payload: Payload;
  listeners?: readonly ServiceName[];
}): HintContract<Payload> {
  return {
    kind: 'hint',
    ...definition,
    service: definition.name.split('.')[0] as ServiceName,
    listeners: definition.listeners ?? ['gateway'],
  };
}
