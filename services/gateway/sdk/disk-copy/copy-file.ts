import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

const fileName = 'sdk-copy.jsonl';

/** Some hundred thousand flags. */
export const maxCopyBytes = 256_000_000;

/** The size of a write. A larger one needs more memory, a smaller one more calls. */
const chunkBytes = 256_000;

/** A write takes seconds. An older unfinished file is of a process that was killed. */
const unfinishedMs = 600_000;

/**
 * Replaces the file of the copy: lines, and a last one with their checksum. Resolves when the disk has it. A reader
 * finds the whole file or the whole one before, also after a crash. Only the owner may read it.
 */
export async function writeCopyFile(folder: string, lines: Iterable<Buffer>): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // Gateways may share the folder.
  const unfinished = path.join(folder, `${fileName}.${randomUUID()}`);
  const file = await open(unfinished, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    for (const chunk of inChunks(lines)) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    await file.writeFile(JSON.stringify({ sha256: hash.digest('hex') }));
    await file.sync();
    await rename(unfinished, path.join(folder, fileName));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  // Else a crash of the machine may undo the rename.
  const directory = await open(folder, 'r');
  await directory.sync().finally(() => directory.close());
}

/** The lines; null without a file. Throws an error that says why the file cannot be used. */
export async function readCopyFile(folder: string): Promise<Iterable<string> | null> {
  const file = path.join(folder, fileName);
  let bytes: Buffer;
  try {
    if ((await stat(file)).size > maxCopyBytes) throw new Error('it is too large');
    bytes = await readFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const end = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, end);
  const last = JSON.stringify({ sha256: createHash('sha256').update(lines).digest('hex') });
  if (bytes.toString('utf8', end) !== last) throw new Error('its checksum is wrong');
  return linesIn(lines);
}

/** Removes what killed processes have left in the folder. */
export async function removeUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    if (!name.startsWith(`${fileName}.`)) continue;
    if (Date.now() - (await stat(file)).mtimeMs > unfinishedMs) await rm(file, { force: true });
  }
}

function* linesIn(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf('\n', start);
    yield bytes.toString('utf8', start, end);
    start = end + 1;
  }
}

function* inChunks(lines: Iterable<Buffer>): Generator<Buffer> {
  let chunk: Buffer[] = [];
  let length = 0;
  for (const line of lines) {
    chunk.push(line);
    length += line.length;
    if (length < chunkBytes) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    length = 0;
  }
  yield Buffer.concat(chunk);
}
