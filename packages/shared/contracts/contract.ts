import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { Permission } from './permissions.ts';

export const serviceNames = ['gateway', 'flags', 'events', 'integrations', 'signals', 'accounts'] as const;
export type ServiceName = (typeof serviceNames)[number];

/**
 * What the actor of a request must hold: a permission, or any one of several. `'authenticated'` asks for any actor; `'public'` for
 * none, since the request itself proves who asks (a password, a one-time token); `'internal'` for none either, since only services
 * send it, the gateway never on a user's word alone.
 */
export type RequiredPermission = Permission | readonly Permission[] | 'authenticated' | 'public' | 'internal';

/**
 * A request between services, as a value: both ends parse by it.
 *
 * `permission` is checked by the serving side before the handler runs: a project permission is looked for in `input.projectId`, an
 * environment permission in `input.projectId` and `input.environment`.
 * `replies: 'many'` marks an answer that travels in pieces, each an `output`.
 */
export interface RequestContract<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  readonly kind: 'request';
  /** `<service>.<noun>.<verb>`; the subject is `rpc.` + name. */
  readonly name: string;
  readonly service: ServiceName;
  readonly summary: string;
  readonly input: Input;
  readonly output: Output;
  readonly errors: readonly ErrorCode[];
  readonly permission: RequiredPermission;
  readonly replies: 'one' | 'many';
}

/** Defines a request contract; the service is the name's first word. */
export function request<Input extends z.ZodType, Output extends z.ZodType>(definition: {
  name: `${ServiceName}.${string}.${string}`;
  summary: string;
  input: Input;
  output: Output;
  errors?: readonly ErrorCode[];
  permission: RequiredPermission;
  replies?: 'one' | 'many';
}): RequestContract<Input, Output> {
  return {
    kind: 'request',
    ...definition,
    service: definition.name.split('.')[0] as ServiceName,
    errors: definition.errors ?? [],
    replies: definition.replies ?? 'one',
  };
}

/**
 * A message without an answer on core NATS that may be lost: it only makes somebody look sooner at a truth kept elsewhere.
 * The subject is `hint.` + name.
 */
export interface HintContract<Payload extends z.ZodType = z.ZodType> {
  readonly kind: 'hint';
  /** `<service>.<what>` */
  readonly name: string;
  readonly service: ServiceName;
  readonly summary: string;
  readonly payload: Payload;
}

/** Defines a hint; the service is the name's first word. */
export function hint<Payload extends z.ZodType>(definition: {
  name: `${ServiceName}.${string}`;
  summary: string;
  payload: Payload;
}): HintContract<Payload> {
  return { kind: 'hint', ...definition, service: definition.name.split('.')[0] as ServiceName };
}
