interface Command {
  summary: string;
  /** Returns the exit code, unless the command sets it itself. */
  run(words: string[]): Promise<number | undefined>;
}

/** A command that is a file of its own. The file reads `process.argv` and sets the exit code. */
function fileCommand(summary: string, load: () => Promise<unknown>): Command {
  return {
    summary,
    async run(words) {
      process.argv.splice(2, process.argv.length, ...words);
      await load();
      return undefined;
    },
  };
}

/** The commands by name. A file is loaded when its command runs: each imports the services that it needs. */
export const commands: Record<string, Command> = {
  status: {
    summary: 'shows the replicas of each service, what does not work, and which services are away',
    run: async (words) => (await import('./status.ts')).showStatus(words),
  },
  tail: {
    summary: 'prints events or signals as they are stored: tail events, tail signals',
    run: async (words) => (await import('./tail.ts')).tail(words),
  },
  token: {
    summary: 'creates an API token and prints it: token create',
    run: async (words) => (await import('./create-token.ts')).createToken(words),
  },
  maintenance: {
    summary: 'begins or ends maintenance mode, without a gateway: maintenance on, off, status',
    run: async (words) => (await import('./maintenance.ts')).maintenance(words),
  },
  migrate: fileCommand('makes roles, schemas and tables, or those of one service', () => import('../migrate.ts')),
  'rotate-key': {
    summary: 'encrypts the stored secrets of integrations or accounts with the current key',
    run: async (words) => (await import('./rotate-key.ts')).rotateKey(words),
  },
  replay: fileCommand('publishes or delivers events again that were lost', () => import('../replay.ts')),
  'verify-log': fileCommand('verifies the chain of the log', () => import('../verify-log.ts')),
  'after-restore': fileCommand('begins the epoch of a restored database', () => import('../after-restore.ts')),
  'nats-config': fileCommand('prints the users of NATS with their permissions', () => import('../nats-config.ts')),
};

const width = Math.max(...Object.keys(commands).map((name) => name.length));

export const usage = `Usage: yardarm <command> [arguments]
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(width)}  ${summary}`)
  .join('\n')}
status, tail and token ask the system at YARDARM_URL with the admin token YARDARM_ADMIN_TOKEN, or that of YARDARM_ADMIN_TOKEN_FILE.
Without a token they use that of the system that npm start runs on YARDARM_DATA_DIR.
Exit codes: 0 done, 1 failed, 2 the arguments or settings are wrong.`;
