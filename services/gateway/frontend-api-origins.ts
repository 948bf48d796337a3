import type { Settings } from '@yardarm/shared/service';
import type { GatewayConfig } from './config.ts';

/** The origins whose pages may use the frontend API: a variable that is set wins over what administrators stored. */
export function frontendApiOrigins(
  { UNLEASH_FRONTEND_API_ORIGINS }: Pick<GatewayConfig, 'UNLEASH_FRONTEND_API_ORIGINS'>,
  settings: Pick<Settings, 'current'>,
): string[] {
  return UNLEASH_FRONTEND_API_ORIGINS ?? settings.current().frontendApiOrigins ?? ['*'];
}
