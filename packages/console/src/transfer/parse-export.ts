/** What an import takes: at least a list of flags. */
export interface ExportedFlags {
  features: unknown[];
  [key: string]: unknown;
}

/** Reads the text of an export, or says why it is none. */
export function parseExport(text: string): ExportedFlags | string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return `This is not JSON: ${(error as Error).message}`;
  }
  const features = (parsed as { features?: unknown } | null)?.features;
  if (!Array.isArray(features)) return 'This is no export: it has no list called features.';
  if (features.length === 0) return 'This export has no flag.';
  return parsed as ExportedFlags;
}
