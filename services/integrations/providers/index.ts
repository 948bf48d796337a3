import type { GuardedClient } from '@yardarm/shared/http';
import { datadog } from './datadog/publisher.ts';
import { destinationProblem } from './destination-problem.ts';
import { newRelic } from './new-relic/publisher.ts';
import { parameterProblems } from './parameters.ts';
import type { IntegrationProvider, Publication, Publisher, SendResult } from './provider.ts';
import { redactSecrets } from './redact-secrets.ts';
import { slack } from './slack/publisher.ts';
import { slackApp } from './slack-app/publisher.ts';
import { teams } from './teams/publisher.ts';
import { teamsWorkflow } from './teamsworkflow/publisher.ts';
import { TemplateError } from './template.ts';
import { webhook } from './webhook/publisher.ts';

export type { IntegrationProvider, Parameters, Progress, Publication, SendResult } from './provider.ts';

export type Providers = ReadonlyMap<string, IntegrationProvider>;

/** The addresses of vendors that no parameter gives, and the base of links. */
export interface ProviderSettings {
  /** The public address of this system, without a trailing slash; null for texts without links. */
  baseUrl: string | null;
  /** The address of Slack's API, without a trailing slash. */
  slackApiUrl: string;
  /** Datadog's events endpoint for integrations that name no other. */
  datadogUrl: string;
}

/** Every provider by name. A new provider is a folder next to webhook/ and a line here. */
export function createProviders(client: GuardedClient, settings: ProviderSettings): Providers {
  const publishers = [
    webhook(client, settings),
    slackApp(client, settings),
    teamsWorkflow(client, settings),
    datadog(client, settings),
    newRelic(client, settings),
    slack(client, settings),
    teams(client, settings),
  ];
  return new Map(
    publishers.map((publisher) => [
      publisher.definition.name,
      {
        definition: publisher.definition,
        problems: parameterProblems,
        destinationProblem: (url) => destinationProblem(client, url),
        publish: (publication) => publish(publisher, publication),
      },
    ]),
  );
}

async function publish(publisher: Publisher, publication: Publication): Promise<SendResult> {
  try {
    return redactSecrets(publisher.definition, publication.parameters, await publisher.publish(publication));
  } catch (error) {
    if (error instanceof TemplateError) return templateFailure(error, publication);
    throw error;
  }
}

/** Nothing was sent because of the integration's own template. The schedule retries, because somebody may repair it. */
function templateFailure({ message }: TemplateError, { progress }: Publication): SendResult {
  const stateDetails = `The message was not sent: the body template ${message}.`;
  const noAnswer = { details: {}, status: null, responseBody: null, retryAfter: null };
  return { state: 'failed', stateDetails, errorCode: 'template', next: 'retry', progress, ...noAnswer };
}
