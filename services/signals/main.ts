import { runService } from '@yardarm/shared/service';
import { loadSignalsConfig } from './config.ts';
import { startSignals } from './service.ts';

await runService('signals', loadSignalsConfig, startSignals);
