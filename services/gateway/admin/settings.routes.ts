import type { Bus } from '@yardarm/shared/bus';
import { setCorsOrigins, setMaintenanceMode } from '@yardarm/shared/contracts/accounts';
import { AppError } from '@yardarm/shared/errors';
import type { Settings } from '@yardarm/shared/service';
import { z } from 'zod';
import type { GatewayConfig } from '../config.ts';
import { ofContract, type Route, route } from '../routing/route.ts';

const maintenanceSchema = z.object({ enabled: z.boolean() }).meta({ examples: [{ enabled: true }] });

/**
 * The settings that an API can change. The gateway asks for them again after a write, so that the next request to it
 * finds them. The other processes learn of it by the hint.
 */
export function settingsRoutes(
  bus: Bus,
  settings: Pick<Settings, 'current' | 'refresh'>,
  config: GatewayConfig,
): Route[] {
  return [
    route({
      ...ofContract(setCorsOrigins),
      method: 'post',
      path: '/api/admin/ui-config/cors',
      operationId: 'setCors',
      tag: 'Admin UI',
      audience: 'admin',
      body: setCorsOrigins.input,
      errors: ['conflict'],
      answer: { status: 204 },
      async handle({ body, context }) {
        // Only the gateways have the variable, so accounts cannot decide this.
        if (config.UNLEASH_FRONTEND_API_ORIGINS !== undefined)
          throw new AppError(
            'conflict',
            'The variable UNLEASH_FRONTEND_API_ORIGINS of the gateway is set and wins. Remove it to set the origins here.',
          );
        await bus.request(setCorsOrigins, body, context);
        await settings.refresh();
        return { status: 204 };
      },
    }),
    route({
      method: 'get',
      path: '/api/admin/maintenance',
      operationId: 'getMaintenance',
      summary: 'Whether maintenance mode is on',
      tag: 'Maintenance',
      audience: 'admin',
      answerName: 'maintenanceSchema',
      answer: { status: 200, schema: maintenanceSchema },
      errors: [],
      handle: () => ({ status: 200, body: { enabled: settings.current().maintenanceMode } }),
    }),
    route({
      ...ofContract(setMaintenanceMode),
      method: 'post',
      path: '/api/admin/maintenance',
      operationId: 'toggleMaintenance',
      tag: 'Maintenance',
      audience: 'admin',
      body: setMaintenanceMode.input,
      answer: { status: 204 },
      async handle({ body, context }) {
        await bus.request(setMaintenanceMode, body, context);
        await settings.refresh();
        return { status: 204 };
      },
    }),
  ];
}
