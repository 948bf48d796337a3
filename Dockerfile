# One image for the six services and the migrations. The command selects one:
#   docker run yardarm services/flags/main.ts
#   docker run yardarm scripts/migrate.ts
#   docker run yardarm scripts/replay.ts outbox flags 2026-01-31
#   docker run yardarm scripts/nats-config.ts
#   docker run yardarm scripts/yardarm.ts status
# Node runs the TypeScript without a build step. Only the console, which browsers run, is built (docs/decisions/0053).

FROM node:24-slim AS manifests
WORKDIR /app
COPY packages packages
COPY services services
RUN find packages services -type f ! -name package.json -delete

# Rebuilt only when a package.json or the lockfile changes.
FROM node:24-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY --from=manifests /app .
# Only the dependencies of the services and of their packages. Those of packages/testing are test runners. No package
# that ships needs an install script.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace=services \
 # Of Swagger UI, what /docs serves and the licences: 2 MB of 12.
 && find node_modules/swagger-ui-dist -type f ! -name swagger-ui.css ! -name swagger-ui-bundle.js ! -name absolute-path.js \
      ! -name package.json ! -name 'LICENSE*' ! -name '*.LICENSE.txt' ! -name NOTICE -delete

# The console, with the packages that build it. The image gets what it has built.
FROM node:24-slim AS console
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY --from=manifests /app .
RUN npm ci --ignore-scripts --no-audit --no-fund --workspace=packages/console
COPY . .
RUN node scripts/console/main.ts /console

# What runs, without the sources of the console.
FROM node:24-slim AS sources
WORKDIR /app
COPY . .
RUN rm -r packages/console scripts/console tsconfig.json

FROM node:24-slim
ENV NODE_ENV=production NODE_COMPILE_CACHE=/var/cache/yardarm HEALTH_HOST=0.0.0.0 HEALTH_PORT=8080 \
    CONSOLE_DIR=/app/console
# Nothing is installed at run time, and a package manager would help an attacker.
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /opt/yarn-* \
      /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
 && install -d -o node -g node /var/lib/yardarm /var/cache/yardarm
WORKDIR /app
COPY --from=dependencies /app .
COPY --from=sources /app .
COPY --from=console /console console
# The user `node`, by number: Kubernetes' runAsNonRoot cannot check a name. Root owns the files, so it cannot write them.
USER 1000:1000
# Without settings a service ends once its modules are loaded, and Node caches the compiled modules for this user. With
# the cache a service starts faster and needs 17 MB less, because it does not load the code that strips types.
RUN for main in services/*/main.ts; do node --env-file=deploy/node.env "$main" || true; done
STOPSIGNAL SIGTERM
# Each check starts a Node process. (A shorter --start-interval would need Docker 25.)
HEALTHCHECK --interval=5s --timeout=5s --retries=3 --start-period=60s CMD ["node", "deploy/healthcheck.js"]
ENTRYPOINT ["node", "--env-file=deploy/node.env"]
