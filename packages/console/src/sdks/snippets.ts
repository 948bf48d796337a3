/** What a snippet is filled with. Names of flags may have single quotes, and no double ones. */
export interface Connection {
  /** The address of the API, without a slash at the end. */
  url: string;
  token: string;
  flag: string;
}

export interface Sdk {
  label: string;
  /** Frontend tokens may be in a page that everybody reads. They get evaluated flags and no strategies. */
  tokenType: 'client' | 'frontend';
  /** The command that adds the SDK to a project; null if there is nothing to add. */
  install: string | null;
  /** The file of the program, and the command that runs it there; null where it depends on the project. */
  run: { file: string; command: string } | null;
  code: (connection: Connection) => string;
}

export type SdkId =
  | 'node'
  | 'javascript'
  | 'react'
  | 'go'
  | 'python'
  | 'java'
  | 'dotnet'
  | 'ruby'
  | 'php'
  | 'rust'
  | 'curl'
  | 'openfeature';

/** Whole programs, which print whether the flag is on. Each is named as its language's users know it. */
export const sdks: Record<SdkId, Sdk> = {
  node: {
    label: 'Node.js',
    tokenType: 'client',
    install: 'npm install unleash-client',
    run: { file: 'flag.mjs', command: 'node flag.mjs' },
    code: ({ url, token, flag }) => `import { startUnleash } from 'unleash-client';

const unleash = await startUnleash({
  url: '${url}/api/',
  appName: 'my-app',
  customHeaders: { Authorization: '${token}' },
});

setInterval(() => console.log("${flag}:", unleash.isEnabled("${flag}")), 1000);`,
  },
  javascript: {
    label: 'JavaScript in the browser',
    tokenType: 'frontend',
    install: 'npm install unleash-proxy-client',
    run: null,
    code: ({ url, token, flag }) => `import { UnleashClient } from 'unleash-proxy-client';

const unleash = new UnleashClient({
  url: '${url}/api/frontend',
  clientKey: '${token}',
  appName: 'my-app',
});

const show = () => console.log("${flag}:", unleash.isEnabled("${flag}"));
unleash.on('ready', show);
unleash.on('update', show);
await unleash.start();`,
  },
  react: {
    label: 'React',
    tokenType: 'frontend',
    install: 'npm install @unleash/proxy-client-react unleash-proxy-client',
    run: null,
    code: ({ url, token, flag }) => `import { FlagProvider, useFlag } from '@unleash/proxy-client-react';
import { createRoot } from 'react-dom/client';

const config = {
  url: '${url}/api/frontend',
  clientKey: '${token}',
  appName: 'my-app',
};

function Checkout() {
  return <p>{useFlag("${flag}") ? 'on' : 'off'}</p>;
}

createRoot(document.getElementById('root')).render(
  <FlagProvider config={config}>
    <Checkout />
  </FlagProvider>,
);`,
  },
  go: {
    label: 'Go',
    tokenType: 'client',
    install: 'go get github.com/Unleash/unleash-go-sdk/v5',
    run: { file: 'main.go', command: 'go run .' },
    code: ({ url, token, flag }) => `package main

import (
	"fmt"
	"net/http"
	"time"

	"github.com/Unleash/unleash-go-sdk/v5"
)

func main() {
	unleash.Initialize(
		unleash.WithListener(&unleash.DebugListener{}),
		unleash.WithAppName("my-app"),
		unleash.WithUrl("${url}/api/"),
		unleash.WithCustomHeaders(http.Header{"Authorization": {"${token}"}}),
	)
	unleash.WaitForReady()
	for {
		fmt.Println("${flag}:", unleash.IsEnabled("${flag}"))
		time.Sleep(time.Second)
	}
}`,
  },
  python: {
    label: 'Python',
    tokenType: 'client',
    install: 'pip install UnleashClient',
    run: { file: 'flag.py', command: 'python flag.py' },
    code: ({ url, token, flag }) => `import time
from UnleashClient import UnleashClient

unleash = UnleashClient(
    url="${url}/api",
    app_name="my-app",
    custom_headers={"Authorization": "${token}"},
)
unleash.initialize_client()

while True:
    print("${flag}:", unleash.is_enabled("${flag}"))
    time.sleep(1)`,
  },
  java: {
    label: 'Java',
    tokenType: 'client',
    install: 'mvn dependency:get -Dartifact=io.getunleash:unleash-client-java:LATEST',
    run: null,
    code: ({ url, token, flag }) => `import io.getunleash.DefaultUnleash;
import io.getunleash.Unleash;
import io.getunleash.util.UnleashConfig;

public class Main {
  public static void main(String[] args) throws InterruptedException {
    UnleashConfig config = UnleashConfig.builder()
        .appName("my-app")
        .instanceId("my-instance")
        .unleashAPI("${url}/api/")
        .apiKey("${token}")
        .synchronousFetchOnInitialisation(true)
        .build();
    Unleash unleash = new DefaultUnleash(config);
    while (true) {
      System.out.println("${flag}: " + unleash.isEnabled("${flag}"));
      Thread.sleep(1000);
    }
  }
}`,
  },
  dotnet: {
    label: '.NET',
    tokenType: 'client',
    install: 'dotnet add package Unleash.Client',
    run: { file: 'Program.cs', command: 'dotnet run' },
    code: ({ url, token, flag }) => `using Unleash;
using Unleash.ClientFactory;

var settings = new UnleashSettings()
{
    AppName = "my-app",
    UnleashApi = new Uri("${url}/api/"),
    CustomHttpHeaders = new Dictionary<string, string>() { { "Authorization", "${token}" } },
};
var unleash = await new UnleashClientFactory().CreateClientAsync(settings, synchronousInitialization: true);

while (true)
{
    Console.WriteLine("${flag}: " + unleash.IsEnabled("${flag}"));
    await Task.Delay(1000);
}`,
  },
  ruby: {
    label: 'Ruby',
    tokenType: 'client',
    install: 'gem install unleash',
    run: { file: 'flag.rb', command: 'ruby flag.rb' },
    // Without a context, versions such as 3.2 evaluate a gradual rollout as off.
    code: ({ url, token, flag }) => `require 'unleash'

unleash = Unleash::Client.new(
  url: '${url}/api',
  app_name: 'my-app',
  custom_http_headers: { 'Authorization' => '${token}' }
)

loop do
  puts "${flag}: #{unleash.is_enabled?("${flag}", Unleash::Context.new)}"
  sleep 1
end`,
  },
  php: {
    label: 'PHP',
    tokenType: 'client',
    install: 'composer require unleash/client guzzlehttp/guzzle symfony/cache',
    run: { file: 'flag.php', command: 'php flag.php' },
    code: ({ url, token, flag }) => `<?php

require 'vendor/autoload.php';

use Unleash\\Client\\UnleashBuilder;

$unleash = UnleashBuilder::create()
    ->withAppName('my-app')
    ->withInstanceId('my-instance')
    ->withAppUrl('${url}/api/')
    ->withHeader('Authorization', '${token}')
    ->build();

echo "${flag}: ", $unleash->isEnabled("${flag}") ? 'true' : 'false', PHP_EOL;`,
  },
  rust: {
    label: 'Rust',
    tokenType: 'client',
    // Version 0.15 has types of reqwest 0.12 and enum-map 2 in its interface. Later versions have another interface.
    install:
      'cargo add enum-map@2 reqwest@0.12 && cargo add serde -F derive && cargo add tokio -F full && cargo add unleash-api-client@0.15 -F reqwest-client',
    run: { file: 'src/main.rs', command: 'cargo run' },
    code: ({ url, token, flag }) => `use std::time::Duration;

use enum_map::Enum;
use serde::{Deserialize, Serialize};
use unleash_api_client::client::ClientBuilder;

#[derive(Debug, Deserialize, Serialize, Enum, Clone)]
enum Flags {
    #[serde(rename = "${flag}")]
    Checkout,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let client = ClientBuilder::default().into_client::<Flags, reqwest::Client>(
        "${url}/api",
        "my-app",
        "my-instance",
        Some("${token}".into()),
    )?;
    client.register().await?;
    let print = async {
        loop {
            tokio::time::sleep(Duration::from_secs(1)).await;
            println!("${flag}: {}", client.is_enabled(Flags::Checkout, None, false));
        }
    };
    tokio::join!(client.poll_for_updates(), print);
    Ok(())
}`,
  },
  curl: {
    label: 'curl',
    tokenType: 'frontend',
    install: null,
    run: null,
    code: ({ url, token, flag }) => `# The answer has the flags that are on. ${flag} is in it as soon as it is on.
curl -H 'Authorization: ${token}' ${url}/api/frontend`,
  },
  openfeature: {
    label: 'OpenFeature (OFREP) in Node.js',
    tokenType: 'client',
    install: 'npm install @openfeature/server-sdk @openfeature/core @openfeature/ofrep-provider',
    run: { file: 'flag.mjs', command: 'node flag.mjs' },
    code: ({ url, token, flag }) => `import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';

const headers = [['Authorization', '${token}']];
await OpenFeature.setProviderAndWait(new OFREPProvider({ baseUrl: '${url}', headers }));

const client = OpenFeature.getClient();
const context = { targetingKey: 'user-1' };
setInterval(async () => console.log("${flag}:", await client.getBooleanValue("${flag}", false, context)), 1000);`,
  },
};

export const sdkIds = Object.keys(sdks) as SdkId[];
