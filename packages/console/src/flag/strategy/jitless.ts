import { z } from 'zod';

// Before any schema is made: zod tries whether it may compile code, which the policy of the page forbids.
z.config({ jitless: true });
