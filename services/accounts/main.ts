import { runService } from '@yardarm/shared/service';
import { loadAccountsConfig } from './config.ts';
import { startAccounts } from './service.ts';

await runService('accounts', loadAccountsConfig, startAccounts);
