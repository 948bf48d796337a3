import { runService } from '@yardarm/shared/service';
import { loadFlagsConfig } from './config.ts';
import { startFlags } from './service.ts';

await runService('flags', loadFlagsConfig, startFlags);
