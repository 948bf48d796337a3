import { ScrapedGauge } from '@yardarm/shared/telemetry';

export const largestEnvironment = new ScrapedGauge({
  name: 'yardarm_flags_largest_environment_bytes',
  help: 'The size of what SDKs read of the largest environment, as ENVIRONMENT_BYTES_LIMIT counts it',
});

export const largestProject = new ScrapedGauge({
  name: 'yardarm_flags_largest_project_bytes',
  help: 'The size of what SDKs read of the largest project in an environment, as PROJECT_BYTES_LIMIT counts it',
});
