import { JetStreamApiError, type Placement, type StreamConfig, type StreamInfo } from '@nats-io/jetstream';
import type { StreamName } from '../contracts/streams.ts';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';
import type { StreamShape } from './bus-options.ts';
import { isSameSet } from './stream-config.ts';

type ShapeConfig = Partial<Pick<StreamConfig, 'num_replicas' | 'placement'>>;

/**
 * The replicas and the placement of streams. For each stream:
 *
 *   as set    The stream has what the settings say, or they say nothing.
 *   refused   NATS refuses it, because the cluster has too few servers for it. The stream is used as it is. One that
 *             does not exist cannot be made. The keeper tries again with each use and every 5 s.
 *
 * A refusal ends no process: the servers that are missing may be on their way.
 */
export function createStreamShapes({ replicas, placementTags }: StreamShape, log: Logger) {
  const problems = new Map<StreamName, string>();

  const needsReplicas = ({ config }: StreamInfo) => replicas !== undefined && config.num_replicas !== replicas;
  const needsPlacement = ({ config }: StreamInfo) =>
    placementTags !== undefined && !isSameSet(config.placement?.tags, placementTags);

  // The cluster of a placement is the operator's. The client's type requires one, and the server does not.
  const placementOf = (config?: StreamConfig) =>
    ({ ...config?.placement, tags: [...(placementTags ?? [])] }) as Placement;

  function onRefused(name: StreamName, error: unknown): void {
    if (replicas === undefined && placementTags === undefined) return;
    // While JetStream does not answer, it has refused nothing.
    if (!(error instanceof Error && error.cause instanceof JetStreamApiError)) return;
    const shape = [
      ...(replicas === undefined ? [] : [`${replicas} replicas`]),
      ...(placementTags === undefined ? [] : [`the tags ${placementTags.join(', ')}`]),
    ].join(' and ');
    const problem =
      `NATS refuses ${shape} for the stream ${name} (${coerceError(error).message}) ` +
      'NATS_STREAM_REPLICAS needs as many servers with JetStream, with the tags of NATS_STREAM_PLACEMENT_TAGS.';
    if (problems.get(name) !== problem) log.error({ stream: name, problem }, 'a stream lacks replicas');
    problems.set(name, problem);
  }

  return {
    ofNew: (): ShapeConfig => ({
      num_replicas: replicas ?? 1,
      ...(placementTags === undefined ? {} : { placement: placementOf() }),
    }),
    onRefused,
    /** For a service that is no keeper: the stream exists, so what was refused at its creation is over. */
    onFound: (name: StreamName) => void problems.delete(name),
    /** Updates a stream that is not as set. Returns what is known of it then. */
    async apply(
      name: StreamName,
      found: StreamInfo,
      update: (shape: ShapeConfig, found: StreamInfo) => Promise<StreamInfo>,
    ): Promise<StreamInfo> {
      let info = found;
      try {
        // NATS refuses to change the number and the place of the copies in one update.
        if (needsReplicas(info)) info = await update({ num_replicas: replicas! }, info);
        if (needsPlacement(info)) info = await update({ placement: placementOf(info.config) }, info);
        if (problems.delete(name)) log.info({ stream: name }, 'a stream has its replicas');
        return info;
      } catch (error) {
        onRefused(name, error);
        return info;
      }
    },
    problem: () => [...problems.values()][0] ?? null,
  };
}
