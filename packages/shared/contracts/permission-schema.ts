import { z } from 'zod';
import { permissionNames } from './permissions.ts';

/** Apart from the table, which the console has in its first screen without zod. */
export const permissionSchema = z.enum(permissionNames);
