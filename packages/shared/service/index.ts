export { type Health, startHealthServer } from './health.ts';
export { runService, type RunningService } from './run-service.ts';
