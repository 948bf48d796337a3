/** All problems of a configuration, for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
