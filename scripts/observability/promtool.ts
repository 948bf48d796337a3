import { asProgram, commandFolders, findCommand, fromArchive, programsFolder } from '../servers/archive-program.js';
import { run } from '../servers/run.js';

/** The path of promtool: a program of this machine, else that of the package prometheus of Debian or Ubuntu. */
async function findPromtool(): Promise<string> {
  const folders = commandFolders();
  const found =
    (await asProgram(findCommand('promtool', folders))) ??
    (await fromArchive({ packageName: 'prometheus', program: 'promtool' }, console.log, programsFolder, folders));
  if (found) return found.file;
  throw new Error(
    'promtool is missing: install Prometheus (Debian and Ubuntu: apt-get install prometheus; macOS: brew install prometheus; ' +
      'else https://prometheus.io/download/)',
  );
}

let promtool: Promise<string> | null = null;

/** Runs promtool with these arguments. Returns its exit code and output. */
export async function runPromtool(args: string[], folder: string): Promise<{ code: number; output: string }> {
  promtool ??= findPromtool();
  return run(await promtool, args, { cwd: folder });
}
