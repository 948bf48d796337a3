export { type Health, isReady, type PartHealth, startHealthServer } from './health.ts';
export { serveProcessStatus } from './process-status.ts';
export { type RunningService, runService } from './run-service.ts';
