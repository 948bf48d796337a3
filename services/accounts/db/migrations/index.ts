import type { MigrationSet } from '@yardarm/shared/db';
import { afterRestore } from '../after-restore.ts';
import { accountsTables } from './0001-accounts.ts';
import { peopleTables } from './0002-people.ts';
import { loginNames } from './0003-login-names.ts';
import { incarnations } from './0004-incarnations.ts';
import { orphanedTokens } from './0005-orphaned-tokens.ts';
import { restores } from './0006-restores.ts';
import { readableSecrets } from './0007-readable-secrets.ts';
import { banners } from './0008-banners.ts';
import { settings } from './0009-settings.ts';
import { feedback } from './0010-feedback.ts';
import { savedViews } from './0011-saved-views.ts';

export const migrations: MigrationSet = {
  service: 'accounts',
  migrations: {
    '0001-accounts': accountsTables,
    '0002-people': peopleTables,
    '0003-login-names': loginNames,
    '0004-incarnations': incarnations,
    '0005-orphaned-tokens': orphanedTokens,
    '0006-restores': restores,
    '0007-readable-secrets': readableSecrets,
    '0008-banners': banners,
    '0009-settings': settings,
    '0010-feedback': feedback,
    '0011-saved-views': savedViews,
  },
  afterRestore,
};
