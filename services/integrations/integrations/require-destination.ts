import type { IntegrationProvider, Parameters } from '../providers/provider.ts';
import { badData, mask, problem } from './integration.ts';

/**
 * Throws `bad-data` if calls to a destination would be refused. The stored one and a masked one are not checked, so
 * that an integration can be disabled. Each send checks its address again. Call it before a transaction, never within
 * one.
 */
export async function requireDestination(
  { definition, destinationProblem }: IntegrationProvider,
  sent: Parameters,
  stored: Parameters = {},
): Promise<void> {
  for (const { name, destination } of definition.parameters) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (!destination || !value || value === mask || value === stored[name]) continue;
    const complaint = await destinationProblem(value);
    if (complaint !== null) throw badData([problem(['parameters', name], complaint)]);
  }
}
