import { resolve } from "node:path";
import type { Command } from "commander";
import { ConfigurationError } from "../../core/errors/index.js";
import { isObject, isPlainObject } from "../../core/validate.js";
import { type Connector, readConnector } from "../../sync/run/connector.js";
import type { RunOptions } from "../../sync/run/options.js";
import { addExamples } from "../command-module.js";
import { importModule } from "../config/config-file.js";
import { addConnectionOptions, type ConnectionOptions, resolveConnection } from "../connection/connect.js";
import type { Io } from "../io.js";
import { addExecuteOptions, type ExecuteOptions, execute } from "./execute.js";

export function define(command: Command, io: Io): void {
  addExamples(command, "saas-management run connector.js --preview", "saas-management run connector.js");
  command
    .description(
      "Runs the connector of a module: its export `connector`, or the default one. Its export `options` are options of the run, such as guard or onHeld.",
    )
    .argument("<module>", "path of the module");
  addExecuteOptions(addConnectionOptions(command)).action(
    async (module: string, options: ConnectionOptions & ExecuteOptions) => {
      const { connector, own } = await readModule(resolve(module));
      await execute(connector, own, options, await resolveConnection(options), io);
    },
  );
}

async function readModule(
  path: string,
): Promise<{ readonly connector: Connector; readonly own: RunOptions }> {
  const { connector, default: exported = connector, options: own = {} } = await importModule(path);
  const found = connector ?? exported;
  if (!isConnector(found))
    throw new ConfigurationError(
      `${path} exports no connector: export const connector = defineConnector({ snapshots, run }).`,
    );
  if (!isPlainObject(own)) throw new ConfigurationError(`The export options of ${path} is not an object.`);
  return { connector: readConnector("run", found), own };
}

function isConnector(value: unknown): value is Connector {
  return isObject(value) && typeof Reflect.get(value, "run") === "function";
}
