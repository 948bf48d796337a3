export { followSettings, inMaintenance, type Settings } from './follow-settings.ts';
export { type Health, isReady, type PartHealth, startHealthServer } from './health.ts';
export { busProblem, natsOptions } from './nats-options.ts';
export { serveProcessStatus } from './process-status.ts';
export { type RunningService, runService, type Starting } from './run-service.ts';
