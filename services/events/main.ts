import { runService } from '@yardarm/shared/service';
import { loadEventsConfig } from './config.ts';
import { startEvents } from './service.ts';

await runService('events', loadEventsConfig, startEvents);
