import type { Bus } from '@yardarm/shared/bus';
import type { Settings } from '@yardarm/shared/service';
import { z } from 'zod';
import { type GatewayConfig, publicUrl } from '../../config.ts';
import { frontendApiOrigins } from '../../frontend-api-origins.ts';
import { compatibleVersion } from '../../pages/version.ts';
import { type Route, route } from '../../routing/route.ts';
import { createResourceLimits, defaultLimits, type ResourceLimits, resourceLimitsSchema } from './resource-limits.ts';

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
  resourceLimits: resourceLimitsSchema,
});

/** The same for every installation except the arguments. */
function uiConfig(
  unleashUrl: string,
  baseUriPath: string,
  settings: { maintenanceMode: boolean; frontendApiOrigins: string[] },
  resourceLimits: ResourceLimits,
): z.infer<typeof uiConfigSchema> {
  return {
    name: 'Yardarm',
    version: compatibleVersion,
    // There is one edition with all features. Clients choose what they show by these fields.
    versionInfo: {
      current: { oss: compatibleVersion, enterprise: compatibleVersion },
      // The gateway does not look up the latest version.
      latest: {},
      isLatest: true,
    },
    environment: 'Enterprise',
    unleashUrl,
    baseUriPath,
    // The public product's name for login with a password.
    authenticationType: 'open-source',
    disablePasswordAuth: false,
    emailEnabled: false,
    ...settings,
    // Without them, consoles hide the pages for environments, signals and actions.
    flags: { EEA: true, signals: true, automatedActions: true },
    resourceLimits,
  };
}

export function uiConfigRoutes(bus: Bus, settings: Pick<Settings, 'current'>, config: GatewayConfig): Route[] {
  const settingsNow = () => ({
    maintenanceMode: settings.current().maintenanceMode,
    frontendApiOrigins: frontendApiOrigins(config, settings),
  });
  const exampleSettings = { maintenanceMode: false, frontendApiOrigins: ['*'] };
  const example = uiConfig('https://flags.example.com', '', exampleSettings, defaultLimits);
  const resourceLimits = createResourceLimits(bus);
  return [
    route({
      method: 'get',
      path: '/api/admin/ui-config',
      operationId: 'getUiConfig',
      answerName: 'uiConfigSchema',
      summary: 'The configuration of this installation for consoles',
      tag: 'Admin UI',
      audience: 'admin',
      answer: { status: 200, schema: uiConfigSchema.meta({ examples: [example] }) },
      errors: [],
      handle: async ({ context }) => ({
        status: 200,
        body: uiConfig(publicUrl(config), config.BASE_URI_PATH, settingsNow(), await resourceLimits(context)),
      }),
    }),
  ];
}
