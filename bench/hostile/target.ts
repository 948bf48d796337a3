import type { Api } from '../system/api.ts';
import type { Yardarm } from '../system/yardarm.ts';

/** What an attack knows: the address of a gateway and tokens without administrator's rights. */
export interface Target {
  url: string;
  sdkToken: string;
  frontendToken: string;
  /** The personal token of a user with the root role Viewer and the role Member in one project. */
  memberToken: string;
  /** The project of the member, which no bystander uses. */
  memberProject: string;
  /** The personal token of a user with the root role Viewer and nothing else. */
  viewerToken: string;
}

export const memberProject = 'hostile';

/** Ids that every installation has. */
const viewerRole = 3;
const memberRole = 5;

/** Of people that live as long as an installation of the bench. It meets the rules for passwords. */
const password = 'Hostile-4-bench!';

/** Makes the project and the users of the attacks. */
export async function makeTarget({ url, api, sdkToken, frontendToken }: Yardarm): Promise<Target> {
  await api.call('POST', '/api/admin/projects', { id: memberProject, name: 'Hostile' });
  const [member, viewer] = [await makeUser(api, 'member'), await makeUser(api, 'viewer')];
  const access = { roles: [memberRole], users: [member.id], groups: [] };
  await api.call('POST', `/api/admin/projects/${memberProject}/access`, access);
  const tokens = { sdkToken, frontendToken, memberToken: member.token, viewerToken: viewer.token };
  return { url, ...tokens, memberProject };
}

/** Makes a Viewer with a personal token. */
async function makeUser(api: Api, username: string): Promise<{ id: number; token: string }> {
  const user = { username, name: username, rootRole: viewerRole, password };
  const { id } = await api.call<{ id: number }>('POST', '/api/admin/user-admin', user);
  const login = await post(`${api.url}/auth/simple/login`, {}, { username, password });
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!;
  const expiresAt = new Date(Date.now() + 24 * 3_600_000).toISOString();
  const body = { description: 'attacks', expiresAt };
  const made = await post(`${api.url}/api/admin/user/tokens`, { cookie }, body);
  return { id, token: ((await made.json()) as { secret: string }).secret };
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
  return answer;
}
