import { createRestoresTable, type Migration } from '@yardarm/shared/db';

export const restores: Migration = { up: createRestoresTable };
