import { createSecureContext } from 'node:tls';
import type { Bus, BusOptions } from '../bus/index.ts';
import { ConfigError, loginsOf, readSettingFile } from '../config/index.ts';
import type { ServiceName } from '../contracts/contract.ts';
import { coerceError } from '../errors/index.ts';
import type { Logger } from '../log/index.ts';

/** The settings that every service has, from `commonSettings`, and those of the services that make streams. */
export interface NatsConfig {
  NATS_URL: string;
  NATS_URL_FILE?: string;
  NATS_CA_FILE?: string | undefined;
  NATS_CERT_FILE?: string | undefined;
  NATS_KEY_FILE?: string | undefined;
  NATS_STREAM_REPLICAS?: number | undefined;
  NATS_STREAM_PLACEMENT_TAGS?: string[] | undefined;
  YARDARM_PREFIX: string;
}

/** The options of the bus. Throws ConfigError when the certificates cannot be used. */
export function natsOptions(config: NatsConfig, name: ServiceName, log: Logger): BusOptions {
  const { NATS_CERT_FILE: cert, NATS_KEY_FILE: key, NATS_CA_FILE: ca } = config;
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError('NATS_CERT_FILE and NATS_KEY_FILE belong together: set both, or none of them.');
  }
  requireCertificates('NATS_CA_FILE', { ca });
  requireCertificates('NATS_CERT_FILE and NATS_KEY_FILE', { cert, key });
  return {
    ...{ url: config.NATS_URL, logins: loginsOf(config.NATS_URL, config.NATS_URL_FILE) },
    ...{ name, prefix: config.YARDARM_PREFIX, log },
    tls: { ca, cert, key },
    shape: { replicas: config.NATS_STREAM_REPLICAS, placementTags: config.NATS_STREAM_PLACEMENT_TAGS },
  };
}

/** Why there is no connection, or none with which the service can work, for /ready; else null. */
export function busProblem(bus: Pick<Bus, 'state'>): string | null {
  const { connected, problem } = bus.state();
  if (connected) return problem;
  return problem === null ? 'not connected to NATS' : `not connected to NATS: ${problem}`;
}

function requireCertificates(settings: string, files: Record<string, string | undefined>): void {
  try {
    const given = Object.entries(files).flatMap(([what, file]) => (file ? [[what, readSettingFile(file)]] : []));
    if (given.length > 0) createSecureContext(Object.fromEntries(given));
  } catch (error) {
    throw new ConfigError(`${settings}: cannot be used as PEM (${coerceError(error).message}).`);
  }
}
