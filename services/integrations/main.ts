import { runService } from '@yardarm/shared/service';
import { loadIntegrationsConfig } from './config.ts';
import { startIntegrations } from './service.ts';

await runService('integrations', loadIntegrationsConfig, startIntegrations);
