import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';

/** A secret of Kubernetes has at most 1 MiB, and the certificates of all public authorities have a quarter of that. */
const maxFileBytes = 1_048_576;

/** Why the file of a setting cannot be used, as the rest of a sentence. */
export class SettingFileError extends Error {
  override readonly name = 'SettingFileError';
}

/**
 * Reads the file of a setting. Only a regular file, or a link to one, is read: a device has no end, and a pipe or a
 * terminal would stop the process until somebody writes. Throws SettingFileError.
 */
export function readSettingFile(file: string): string {
  const opened = openWithoutWaiting(file);
  try {
    const found = fstatSync(opened);
    if (!found.isFile()) throw new SettingFileError('is not a regular file');
    if (found.size > maxFileBytes) throw new SettingFileError(`has more than ${maxFileBytes} bytes`);
    return readFileSync(opened, 'utf8');
  } catch (error) {
    throw asSettingFileError(error);
  } finally {
    closeSync(opened);
  }
}

/** What is wrong with a file, without its content. Null when this process can read it. */
export function settingFileProblem(file: string): string | null {
  try {
    readSettingFile(file);
    return null;
  } catch (error) {
    return (error as SettingFileError).message;
  }
}

/** Without O_NONBLOCK, opening a pipe waits for its writer. */
function openWithoutWaiting(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw asSettingFileError(error);
  }
}

function asSettingFileError(error: unknown): SettingFileError {
  if (error instanceof SettingFileError) return error;
  return new SettingFileError(`cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
}
