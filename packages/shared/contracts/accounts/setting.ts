import { z } from 'zod';
import { request } from '../contract.ts';

/** A system has a few web applications. Each request of a page is compared with all of them. */
const maxOrigins = 100;
/** The longest scheme, host name and port. */
const maxOriginLength = 270;

/** As browsers send it: in lower case, without a path, and without the port that the scheme has by default. */
function isExactOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const originSchema = z
  .string()
  .max(maxOriginLength, `should have at most ${maxOriginLength} characters`)
  .refine(
    (text) => text === '*' || isExactOrigin(text),
    'should be * or an exact origin as browsers send it, such as https://app.example.com or http://localhost:3000',
  );

export const setCorsOrigins = request({
  name: 'accounts.cors.set',
  writes: true,
  summary: 'Sets the origins whose pages may use the frontend API and OFREP; ["*"] is the default',
  input: z
    .strictObject({
      frontendApiOrigins: z
        .array(originSchema)
        .max(maxOrigins, `should have at most ${maxOrigins} items`)
        .refine((origins) => !origins.includes('*') || origins.length === 1, 'should have no other origin besides *'),
    })
    .meta({ examples: [{ frontendApiOrigins: ['https://app.example.com'] }] }),
  output: z.object({}),
  permission: 'UPDATE_CORS',
});

export const setMaintenanceMode = request({
  name: 'accounts.maintenance.set',
  writes: 'in-maintenance',
  summary: 'Begins or ends maintenance mode, in which nothing can be changed by requests and actions',
  input: z.object({ enabled: z.boolean() }).meta({ examples: [{ enabled: true }] }),
  output: z.object({}),
  permission: 'UPDATE_MAINTENANCE_MODE',
});
