/** The servers that a run of tests stands on. */
export type TestServers = {
  /** The superuser's address. */
  postgresUrl: string;
  /** With user and password. */
  natsUrl: string;
  kind: 'docker' | 'embedded';
  stop(): Promise<void>;
};
