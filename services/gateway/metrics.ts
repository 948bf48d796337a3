import { Counter, Gauge, metrics, onScrape, ScrapedGauge } from '@yardarm/shared/telemetry';
import type { Snapshots } from './sdk/snapshots/snapshots.ts';

export const droppedUsage = new Counter({
  name: 'yardarm_gateway_usage_entries_dropped_total',
  help: 'Entries of register and metrics requests that were not counted',
  labelNames: ['reason'],
  registers: [metrics],
});

export const calledSignals = new Counter({
  name: 'yardarm_gateway_signals_total',
  help: 'Calls of signal endpoints with a valid token and body, by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});

export const refusedBodies = new Counter({
  name: 'yardarm_gateway_bodies_refused_total',
  help: 'Request bodies that gave way because all bodies that are not complete had too many bytes',
  registers: [metrics],
});

export const cutAnswers = new Counter({
  name: 'yardarm_gateway_answers_cut_total',
  help: 'Answers that gave way because all answers that are not read had too many bytes',
  registers: [metrics],
});

export const stoppedEvaluations = new Counter({
  name: 'yardarm_gateway_evaluations_stopped_total',
  help: 'Evaluations that ended because constraints of a flag took too long',
  registers: [metrics],
});

export const tokenChecks = new Counter({
  name: 'yardarm_gateway_token_checks_total',
  help: 'Checks whether a token exists, of addresses that sent many unknown ones, by outcome',
  labelNames: ['outcome'],
  registers: [metrics],
});

export const refusedRequests = new Counter({
  name: 'yardarm_gateway_refused_requests_total',
  help: 'Requests that were refused with 429, by the limit that they exceeded',
  labelNames: ['limit'],
  registers: [metrics],
});

export const tokenLookups = new Counter({
  name: 'yardarm_gateway_token_lookups_total',
  help: 'Look-ups of tokens, by the service that owns them and by where the answer came from',
  labelNames: ['owner', 'result'],
  registers: [metrics],
});

export const cachedTokens = new ScrapedGauge({
  name: 'yardarm_gateway_tokens_cached',
  help: 'Tokens in the caches of this gateway, by the service that owns them and whether they exist',
  labelNames: ['owner', 'state'],
});

const snapshotAge = new ScrapedGauge({
  name: 'yardarm_gateway_snapshot_age_seconds',
  help: 'Time since flags last confirmed that the snapshots are current',
});

const snapshotRevision = new ScrapedGauge({
  name: 'yardarm_gateway_snapshot_revision',
  help: 'Sum of the revisions of all environments and projects in the snapshots',
});

const missingEnvironments = new ScrapedGauge({
  name: 'yardarm_gateway_environments_missing',
  help: 'Environments that this gateway has not loaded since its start',
});

/** Shows what is loaded and how current it is at each scrape. Returns the function that ends this. */
export function measureSnapshots(snapshots: Pick<Snapshots, 'currency' | 'missing'>): () => void {
  return onScrape('snapshots', async () => {
    missingEnvironments.set(snapshots.missing());
    const current = snapshots.currency();
    if (!current) return;
    snapshotAge.set(current.ageSeconds);
    snapshotRevision.set(current.revision);
  });
}

export const openSdkStreams = new Gauge({
  name: 'yardarm_gateway_sdk_streams',
  help: 'Open streams of SDKs',
  registers: [metrics],
});

export const waitingSdkStreams = new Gauge({
  name: 'yardarm_gateway_sdk_streams_waiting',
  help: 'Open streams of SDKs that wait for their first event, because many are being opened',
  registers: [metrics],
});

export const openConnections = new Gauge({
  name: 'yardarm_gateway_connections',
  help: 'Open connections of the public listener',
  registers: [metrics],
});

export const closedConnections = new Counter({
  name: 'yardarm_gateway_connections_closed_total',
  help: 'Connections that this gateway closed because of a limit, by reason',
  labelNames: ['reason'],
  registers: [metrics],
});
