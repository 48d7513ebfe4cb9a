import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly hasInstallScript?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
}

const read = async (path: string): Promise<string> =>
  readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
  await read("package-lock.json"),
);
const manifest: Locked & { readonly devDependencies: Readonly<Record<string, string>> } = JSON.parse(
  await read("package.json"),
);
const installed = Object.entries(packages).filter(([path, { dev }]) => path !== "" && dev !== true);

test("the package runs no script at installation", () => {
  const hooks = ["preinstall", "install", "postinstall", "prepare", "prepublish"];
  expect(Object.keys(manifest.scripts ?? {}).filter((name) => hooks.includes(name))).toEqual([]);
});

test("only protobufjs has an install script, which only warns", async () => {
  const withScript = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true);
  expect(withScript.map(([path]) => path)).toEqual(["node_modules/protobufjs"]);
  const script = await read("node_modules/protobufjs/scripts/postinstall.js");
  expect(script).not.toMatch(/child_process|https?:|writeFile|execSync|eval\(/);
});

test.each(["ci.yml", "release.yml"])(
  "%s pins its actions by commit and has the least permissions",
  async (name) => {
    const workflow = await read(`.github/workflows/${name}`);
    const actions = [...workflow.matchAll(/uses: (.+)/g)].map(([, action]) => action);
    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions)
      expect(action).toMatch(/^actions\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$|^\.\/\.github\//);
    expect(workflow).toMatch(/^permissions:\n {2}contents: read$/m);
    const writes = [...workflow.matchAll(/([\w-]+): write/g)].map(([, scope]) => scope);
    expect(writes).toEqual(name === "release.yml" ? ["id-token", "attestations"] : []);
    expect(workflow).not.toContain("secrets.");
  },
);

test("the lockfile pins every dependency by version and hash", () => {
  expect(installed.length).toBeGreaterThan(20);
  for (const [path, { integrity, version }] of installed) {
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
  }
  const unhashed = Object.entries(packages).filter(([path, { integrity }]) => path !== "" && !integrity);
  for (const [path, { dev, optional, os }] of unhashed)
    expect([path, { dev, optional, os }]).toEqual([
      path,
      { dev: true, optional: true, os: [expect.any(String)] },
    ]);
  for (const version of Object.values(manifest.devDependencies))
    expect(version).toMatch(/^(npm:(@types\/node|typescript)@)?\d/);
});
