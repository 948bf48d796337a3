import { z } from 'zod';
import { compatibleVersion } from '../documents/version.ts';
import { type Route, route } from '../http/route.ts';

const edition = z.object({ oss: z.string().optional(), enterprise: z.string().optional() });

const uiConfigSchema = z.object({
  name: z.string(),
  version: z.string(),
  versionInfo: z.object({ current: edition, latest: edition, isLatest: z.boolean() }),
  environment: z.string(),
  unleashUrl: z.string(),
  baseUriPath: z.string(),
  authenticationType: z.literal('open-source'),
  disablePasswordAuth: z.boolean(),
  emailEnabled: z.boolean(),
  maintenanceMode: z.boolean(),
  frontendApiOrigins: z.array(z.string()),
  flags: z.record(z.string(), z.unknown()),
});

/** What is true of every installation, and what the address of this one is. */
function uiConfig(unleashUrl: string): z.infer<typeof uiConfigSchema> {
  return {
    name: 'Yardarm',
    version: compatibleVersion,
    // There is one edition and nothing of it is closed; clients look at these two for what they may show.
    versionInfo: {
      current: { oss: compatibleVersion, enterprise: compatibleVersion },
      // Nobody is asked what the latest version is.
      latest: {},
      isLatest: true,
    },
    environment: 'Enterprise',
    unleashUrl,
    baseUriPath: '',
    // What the public product calls logging in with a password.
    authenticationType: 'open-source',
    disablePasswordAuth: false,
    emailEnabled: false,
    maintenanceMode: false,
    // No answer allows a page of another origin to read it.
    frontendApiOrigins: [],
    flags: {},
  };
}

/** What a console needs to know of the system before it shows anything. */
export function uiConfigRoutes(unleashUrl: string): Route[] {
  return [
    route({
      method: 'get',
      path: '/api/admin/ui-config',
      operationId: 'getUiConfig',
      summary: 'What a console needs to know of this installation',
      tag: 'Admin UI',
      audience: 'admin',
      answer: { status: 200, schema: uiConfigSchema.meta({ examples: [uiConfig('https://flags.example.com')] }) },
      errors: [],
      handle: async () => ({ status: 200, body: uiConfig(unleashUrl) }),
    }),
  ];
}
