import type { Command } from "commander";
import { addExamples } from "../command-module.js";
import { addConnectionOptions, type ConnectionOptions, resolveConnection } from "../connection/connect.js";
import type { Io } from "../io.js";
import { addExecuteOptions, type ExecuteOptions, execute } from "../run/execute.js";

interface PushOptions extends ConnectionOptions, ExecuteOptions {
  readonly collection?: string[];
}

export function define(command: Command, io: Io): void {
  addExamples(
    command,
    "saas-management push --collection accounts=users.csv --preview",
    "saas-management push accounts.csv plans.csv licenses.csv --first-run",
    "saas-management push                    # the files of the configuration",
  );
  command
    .description(
      "Sends CSV or JSONL files in one run. The files of a snapshot together have all of its records. Headings are names of fields, or the configuration names the field of each column. Of events, only those after the last run are sent.",
    )
    .argument("[files...]", "files named after their collections, such as accounts.csv")
    .option(
      "--collection <name=file>",
      "file of a collection; may be repeated",
      (pair: string, others: string[] = []) => [...others, pair],
    );
  addExecuteOptions(addConnectionOptions(command)).action(async (files: string[], options: PushOptions) => {
    const connection = await resolveConnection(options);
    const { pushFiles } = await import("./files.js");
    const found = pushFiles(files, options.collection ?? [], connection);
    const { fileConnector } = await import("./connector.js");
    const { connector, explain } = fileConnector(found, io, connection.ledger !== "none");
    await execute(connector, {}, options, connection, io).catch((error: unknown) => {
      throw explain(error);
    });
  });
}
