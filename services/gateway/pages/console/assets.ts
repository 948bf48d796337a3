import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Coding, codingOf } from '../../routing/content-coding.ts';
import type { BytesReply } from '../../routing/route.ts';

/** A file of the console with the compressed forms that the build has made of it. */
export interface Asset {
  contentType: string;
  forms: { identity: Buffer } & Partial<Record<Coding, Buffer>>;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The ends of the names that the build gives to compressed forms (scripts/console/build.ts). */
const endings = { br: '.br', gzip: '.gz' } as const;

/** The files of the folder, by the path under which they are served. */
export function readAssets(folder: string): Map<string, Asset> {
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = new Map(files.map(({ name }) => [name, readFileSync(path.join(folder, name))]));
  const plain = [...bytes].filter(([name]) => !Object.values<string>(endings).includes(path.extname(name)));
  return new Map(
    plain.map(([name, identity]) => {
      const [br, gzip] = [bytes.get(name + endings.br), bytes.get(name + endings.gzip)];
      const contentType = contentTypes[path.extname(name)] ?? 'application/octet-stream';
      return [`/assets/${name}`, { contentType, forms: { identity, ...(br && { br }), ...(gzip && { gzip }) } }];
    }),
  );
}

/**
 * Larger ones are sent in turns, as documents are, and their connection ends: a thousand clients that ask again and
 * again and read nothing would delay all others. A browser has further connections, and few files are larger.
 */
const maxWholeBytes = 64_000;

/** The name has a hash of the content, so the file under it never changes. */
export function replyWith({ contentType, forms }: Asset, acceptEncoding: string | undefined): BytesReply {
  const preferred = codingOf(acceptEncoding);
  const coding = forms[preferred] ? preferred : 'identity';
  const body = forms[coding]!;
  return {
    status: 200,
    headers: {
      'content-type': contentType,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      ...(coding !== 'identity' && { 'content-encoding': coding }),
    },
    body,
    ...(body.length > maxWholeBytes && { isSentInTurns: true }),
  };
}
