import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** An import of a file. Paths are relative to the root, with `/`. */
export interface Import {
  file: string;
  line: number;
  specifier: string;
  typeOnly: boolean;
  /** Whether the module is loaded only when the program gets to the expression. */
  isDynamic: boolean;
  /** The npm package, the workspace or the `node:` module. Undefined when the import is relative. */
  packageName: string | undefined;
  /** The imported file of this repository. Undefined for npm, for Node, and for a sub-path that is not exported. */
  target: string | undefined;
}

export interface Package {
  name: string;
  folder: string;
  exports: Map<string, string>;
  declared: Set<string>;
  declaredForProduction: Set<string>;
}

export interface Tree {
  packages: Package[];
  files: string[];
  imports: Import[];
}

const roots = ['packages', 'services', 'scripts', 'e2e', 'bench', 'vitest.config.ts'];
const source = /\.(tsx?|mts|js|mjs)$/;
/** What npm and vite write. */
const written = ['node_modules', 'dist'];

export function readTree(root: string): Tree {
  const packages = readPackages(root);
  const files = roots.flatMap((entry) => sourceFiles(root, entry)).sort();
  const imports = files.flatMap((file) => readImports(root, file, packages));
  return { packages, files, imports };
}

/** The package of a file: its workspace, else the root, whose folder is ''. */
export function packageOf(file: string, packages: Package[]): Package {
  const owner = packages.find(({ folder }) => folder !== '' && file.startsWith(`${folder}/`));
  return owner ?? packages.find(({ folder }) => folder === '')!;
}

function sourceFiles(root: string, entry: string): string[] {
  if (source.test(entry)) return exists(root, entry) ? [entry] : [];
  let children: string[];
  try {
    children = readdirSync(path.join(root, entry), { withFileTypes: true })
      .filter((child) => !written.includes(child.name) && (child.isDirectory() || source.test(child.name)))
      .flatMap((child) =>
        child.isDirectory() ? sourceFiles(root, `${entry}/${child.name}`) : [`${entry}/${child.name}`],
      );
  } catch (error) {
    // The tree may not have this folder.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return children;
}

function exists(root: string, file: string): boolean {
  return readdirSync(path.join(root, path.dirname(file))).includes(path.basename(file));
}

function readPackages(root: string): Package[] {
  const folders = ['packages', 'services'].flatMap((parent) => packageFolders(root, parent));
  return ['', ...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
    const production = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    return {
      name: manifest.name,
      folder,
      exports: new Map(
        Object.entries<string>(manifest.exports ?? {}).map(([key, file]) => [
          path.posix.join(manifest.name, key),
          path.posix.join(folder, file),
        ]),
      ),
      declared: new Set([...production, ...Object.keys(manifest.devDependencies ?? {})]),
      declaredForProduction: new Set(production),
    };
  });
}

function packageFolders(root: string, parent: string): string[] {
  try {
    return readdirSync(path.join(root, parent))
      .map((name) => `${parent}/${name}`)
      .filter((folder) => exists(root, `${folder}/package.json`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readImports(root: string, file: string, packages: Package[]): Import[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { program, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file} cannot be parsed: ${errors[0].message}`);

  const found: Import[] = [];
  const add = (specifier: string, start: number, typeOnly: boolean, isDynamic = false) =>
    found.push({
      file,
      line: text.slice(0, start).split('\n').length,
      specifier,
      typeOnly,
      isDynamic,
      packageName: packageNameIn(specifier),
      target: resolve(file, specifier, packages),
    });

  new Visitor({
    ImportDeclaration: (node) => add(node.source.value, node.start, node.importKind === 'type'),
    ExportAllDeclaration: (node) => add(node.source.value, node.start, node.exportKind === 'type'),
    ExportNamedDeclaration: (node) => {
      if (node.source) add(node.source.value, node.start, node.exportKind === 'type');
    },
    TSImportType: (node) => add(node.source.value, node.start, true),
    ImportExpression: (node) => {
      if (node.source.type === 'Literal') add(String(node.source.value), node.start, false, true);
    },
    CallExpression: (node) => {
      const [argument] = node.arguments;
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'require' || argument?.type !== 'Literal') return;
      add(String(argument.value), node.start, false);
    },
  }).visit(program);
  return found;
}

function packageNameIn(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('/')) return undefined;
  if (specifier.startsWith('node:')) return specifier;
  const [scope, name] = specifier.split('/');
  if (builtinModules.includes(scope!)) return `node:${specifier}`;
  return scope!.startsWith('@') ? `${scope}/${name}` : scope;
}

function resolve(file: string, specifier: string, packages: Package[]): string | undefined {
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return packages.find(({ exports }) => exports.has(specifier))?.exports.get(specifier);
}
