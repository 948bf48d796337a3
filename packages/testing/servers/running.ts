export type TestServers = {
  /** The URL with the superuser's login. */
  postgresUrl: string;
  natsUrl: string;
  kind: 'docker' | 'embedded';
  stop(): Promise<void>;
};
