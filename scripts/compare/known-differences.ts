import type { KnownDifference } from './report.ts';

const notInOpenSource =
  /\/(projects$|projects\/validate|projects\/default(\/settings)?$|environments(\/validate|\/update|\/development\/clone)?(\/|$)|events\/search|redeliver|service-account|roles|permissions|access|groups|users\/|signal|actions|license|metrics\/rps|banners|user-access-requests|release|change-requests|test$)/;

/** docs/compatibility.md has the differences that users should know, in the same words. The others are details. */
export const knownDifferences: readonly KnownDifference[] = [
  {
    kind: 'status',
    request: notInOpenSource,
    peer: /^404$/,
    reason: 'the open source edition of unleash-server has no such route',
  },
  {
    kind: 'status',
    request: /\/strategies$|\/variants$/,
    yardarm: /^(200|400)$/,
    peer: /^40[03]$/,
    reason: 'lists of constraints without values, and variants of environments, are accepted',
  },
  {
    kind: 'status',
    request: /\/dependencies$/,
    yardarm: /^400$/,
    peer: /^403$/,
    reason: 'a refused dependency is a bad request',
  },
  {
    kind: 'status',
    request: /\/favorites$/,
    yardarm: /^200$/,
    peer: /^415$/,
    reason: 'favorites need no body and no content type',
  },
  {
    kind: 'status',
    request: /unknown|nowhere|nothing|none|no-|noStrategy|99999|\{strategyId\}/,
    yardarm: /^404$/,
    peer: /^(200|202|400|403|500)$/,
    reason: 'what does not exist is 404',
  },
  {
    kind: 'status',
    request: /./,
    yardarm: /^400$/,
    peer: /^(404|500)$/,
    reason: 'a body that names what does not exist, or does not match, is 400',
  },
  {
    kind: 'status',
    request: /client-metrics|\/search\/events\?limit=no-number/,
    yardarm: /^40[04]$/,
    peer: /^200$/,
    reason: 'a question that cannot be answered is refused',
  },
  {
    kind: 'status',
    request: /^PATCH|\/deprecate$|\/reactivate$|\/export$|\/playground$|\/api-tokens$/,
    yardarm: /^40[04]$/,
    peer: /^20[01]$/,
    reason: 'a change without effect, and unknown names in a body, are refused',
  },
  {
    kind: 'status',
    request: /^DELETE \/api\/admin\/(tags|tag-types)\//,
    yardarm: /^409$/,
    peer: /^200$/,
    reason: 'what is in use is not deleted',
  },
  {
    kind: 'status',
    request: /features\/compare-e/,
    reason: 'an archived flag has no other changes than PUT, PATCH, a revival and a deletion',
  },
  {
    kind: 'status',
    request: /\/api\/admin\/(user\/roles|user\/profile|personal-dashboard)/,
    yardarm: /^200$/,
    peer: /^[45]00$/,
    reason: 'an admin token gets an answer without personal data',
  },
  {
    kind: 'status',
    request: /^GET \/api\/admin\/addons\/1$|metrics\/applications\/shop/,
    reason: 'ids and applications that only one of the two has at this time',
  },
  {
    kind: 'status',
    request: /\/api\/client\/register$/,
    yardarm: /^202$/,
    peer: /^400$/,
    reason: 'a registration needs the name of the application only',
  },
  { kind: 'headers', request: /./, at: /^etag$/, reason: 'unleash-server puts a weak ETag on each answer' },
  {
    kind: 'headers',
    request: /./,
    at: /^content-type$/,
    reason: 'an answer that is empty there has the flag or an empty object here, and the reverse',
  },
  { kind: 'headers', request: /./, at: /^location$/, reason: 'the location of a new resource is an absolute path' },
  {
    kind: 'body shape',
    request: /./,
    at: /^(id|details|details\[\].*|name|message|path|type)$/,
    reason: 'fields of errors: each has an id, a name and details',
  },
  {
    kind: 'body shape',
    request: /\/(search\/)?events/,
    at: /^events\[\]/,
    reason: 'contents of events: docs/contracts.md has ours',
  },
  {
    kind: 'body shape',
    request: /./,
    at: /^/,
    peer: /^absent$/,
    reason: 'more properties than there, above all in answers with a flag, which have the whole flag',
  },
  {
    kind: 'body shape',
    request: /^POST \/api\/frontend\/client/,
    at: /^$/,
    reason: 'a report is answered with an empty body, and there with the text of the status',
  },
  {
    kind: 'body shape',
    request: /playground\/advanced/,
    at: /variant\.featureEnabled$/,
    reason: 'the advanced playground has `feature_enabled` only, as documented',
  },
  {
    kind: 'body shape',
    request: /./,
    at: /^defaultHidden$/,
    reason: 'the undocumented `defaultHidden` of some answers',
  },
  {
    kind: 'body shape',
    request: /^GET \/api\/admin\/user$/,
    at: /^user\./,
    reason: 'an admin token is shown as the user -42, without its secret',
  },
  {
    kind: 'body shape',
    request: /features\/compare-a$/,
    at: /^environments\[\]\.(yes|no)$/,
    reason: '`yes` and `no` of an environment are in searches only',
  },
  { kind: 'body shape', request: /strategies/, at: /milestoneId$/, reason: 'strategies have no `milestoneId`' },
  {
    kind: 'body shape',
    request: /projects/,
    at: /onboardingStatus\.feature$/,
    reason: 'onboarding ends with the first use of a flag, whose report arrives at another time',
  },
  {
    kind: 'body shape',
    request: /events\/verify$/,
    reason: 'our route; there the last part is the name of a flag',
  },
  {
    kind: 'body shape',
    request: /\/addons$/,
    at: /^providers\[\]\.(howTo|alerts)$/,
    reason: 'providers have no texts for the console',
  },
  {
    kind: 'body shape',
    request: /\/ui-config$/,
    reason: 'the console gets the flags and the settings that its pages need',
  },
  {
    kind: 'body shape',
    request: /\/metrics\/applications/,
    reason: 'applications have the names of their strategies and their usage; instances are at the overview',
  },
];
