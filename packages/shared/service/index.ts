export { type Health, startHealthServer } from './health.ts';
export { type RunningService, runService } from './run-service.ts';
