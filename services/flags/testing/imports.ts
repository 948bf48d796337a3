import { randomUUID } from 'node:crypto';
import type { Actor } from '@yardarm/shared/contracts';
import * as contracts from '@yardarm/shared/contracts/flags';
import type { z } from 'zod';
import type { FlagsRig } from './flags-rig.ts';

export type ImportedData = Partial<z.input<typeof contracts.importedSchema>>;

/** Where tests import to unless they name another place. */
export const importPlace = { project: 'default', environment: 'development' };

/** A document as a request has it. */
export const sentDocument = (data: ImportedData, place = importPlace) => ({ document: { text: text(data, place) } });

/** The same, in parts. */
export async function uploadDocument(rig: FlagsRig, data: ImportedData, place = importPlace) {
  const [whole, uploadId] = [text(data, place), randomUUID()];
  for (let at = 0; at < whole.length; at += partLength) {
    const part = { uploadId, part: at / partLength, text: whole.slice(at, at + partLength) };
    await rig.ask(contracts.storeImportPart, part);
  }
  return { document: { uploadId } };
}

export async function validateDocument(
  rig: FlagsRig,
  sent: z.input<typeof contracts.validateImport.input>,
  actor?: Actor,
) {
  return await rig.ask(contracts.validateImport, sent, actor);
}

export async function exportDocument(rig: FlagsRig, filter: { features?: string[]; tag?: string; project?: string }) {
  const { environment } = importPlace;
  return await rig.ask(contracts.exportFeatures, { environment, ...filter });
}

/** Far below the size of a message. */
const partLength = 150_000;

function text(data: ImportedData, place: typeof importPlace): string {
  return JSON.stringify({ ...place, data: { features: [], featureStrategies: [], ...data } });
}
