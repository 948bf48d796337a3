import { allHints, allRequests } from '../contracts/all.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { type StreamContract, streams } from '../contracts/streams.ts';
import { type Names, namesUnder } from './subjects.ts';

/** The subjects that a user of NATS may publish to and subscribe to. It may use no other. */
export interface NatsPermissions {
  publish: string[];
  subscribe: string[];
}

/**
 * What a service may do in NATS, from the contracts:
 *
 *   requests   publish those that list it as a caller; subscribe to its own
 *   answers    publish to the inboxes that its callers, and the services that it calls, have for it; subscribe to its
 *              own inboxes
 *   hints      publish its own; subscribe to those that list it as a listener
 *   streams    publish to its subjects; make the stream; read and acknowledge as the contract of the stream says
 *
 * No service may delete or purge a stream, or delete a consumer of a stream that others read.
 */
export function natsPermissions(service: ServiceName, prefix: string): NatsPermissions {
  const names = namesUnder(prefix);
  const calls = allRequests.filter(({ callers }) => callers.includes(service));
  const callers = allRequests.filter((request) => request.service === service).flatMap((request) => request.callers);
  const publish = [
    ...calls.map(({ name }) => `rpc.${name}`),
    ...allHints.filter((hint) => hint.service === service).map(({ name }) => `hint.${name}`),
    // The caller of an answer in frames sends the number of handled frames.
    ...[...callers, ...calls.map((request) => request.service)].map((owner) => `_INBOX.${owner}.${service}.>`),
    ...Object.values(streams).flatMap((stream) => subjectsOf(stream, service)),
  ];
  const subscribe = [
    `rpc.${service}.>`,
    ...allHints.filter(({ listeners }) => listeners.includes(service)).map(({ name }) => `hint.${name}`),
    `_INBOX.${service}.>`,
  ];
  return {
    publish: [
      ...new Set(publish.map(names.subject)),
      ...Object.values(streams).flatMap((stream) => jetStreamSubjects(stream, service, names)),
    ],
    subscribe: subscribe.map(names.subject),
  };
}

function subjectsOf({ publishers, subjects }: StreamContract, service: ServiceName): string[] {
  if (!publishers.includes(service)) return [];
  return publishers.length === 1 ? [...subjects] : subjects.map((subject) => subject.replace('>', `${service}.>`));
}

/** Subjects of the server's API, which has no prefix. Streams and durables have one in their names. */
function jetStreamSubjects(stream: StreamContract, service: ServiceName, names: Names): string[] {
  const { publishers, readers, durables, positionReader, keeper } = stream;
  // The gateway publishes signals, and signals makes the stream.
  if (service === 'gateway' || ![...publishers, ...readers].includes(service)) return [];
  const name = names.name(stream.name);
  const api = [`STREAM.INFO.${name}`, `STREAM.CREATE.${name}`];
  if (service === keeper) api.push(`STREAM.UPDATE.${name}`);
  const own = (durables[service] ?? []).map(names.name);
  for (const durable of own) {
    // With a filter, the subject of the creation ends in the filter.
    api.push(`CONSUMER.CREATE.${name}.${durable}`, `CONSUMER.CREATE.${name}.${durable}.>`);
    api.push(`CONSUMER.INFO.${name}.${durable}`, `CONSUMER.MSG.NEXT.${name}.${durable}`);
  }
  if (service === positionReader) {
    api.push(`STREAM.MSG.GET.${name}`);
    // A permission cannot have a part of a name, so it covers all consumers of the stream.
    api.push(`CONSUMER.CREATE.${name}.>`, `CONSUMER.INFO.${name}.*`, `CONSUMER.MSG.NEXT.${name}.*`);
    if (readers.length === 1) api.push(`CONSUMER.DELETE.${name}.*`);
  }
  return [...api.map((subject) => `$JS.API.${subject}`), ...own.map((durable) => `$JS.ACK.${name}.${durable}.>`)];
}

/** The name of a service's user. Two installations on one server have different users. */
export function natsUser(service: ServiceName, prefix: string): string {
  return namesUnder(prefix).name(service);
}
