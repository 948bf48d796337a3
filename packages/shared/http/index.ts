export { readAllowedPrivate } from './allowed-private.ts';
export {
  createGuardedClient,
  type GuardedClient,
  type OutgoingAnswer,
  type OutgoingRequest,
} from './guarded-client.ts';
export { headerProblem } from './headers.ts';
export { OutgoingFailed, OutgoingRefused } from './outgoing-errors.ts';
export type { Proxies } from './proxies.ts';
