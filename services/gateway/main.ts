import { runService } from '@yardarm/shared/service';
import { loadGatewayConfig } from './config.ts';
import { startGateway } from './service.ts';

await runService('gateway', loadGatewayConfig, (config, log) => startGateway(config, log));
